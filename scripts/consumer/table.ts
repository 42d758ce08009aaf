import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Case } from './Case.js'

/** What was seen of a case. `error` is empty if it works. */
export interface Result {
  readonly tried: Case
  readonly done: string
  readonly error: string
}

const PAGE = resolve(import.meta.dirname, '../../docs/hosts.md')

/** `works`, or why not. A case that cannot work is as expected if it fails. */
function verdict({ tried, error }: Result): string {
  if (tried.cannot === undefined) return error === '' ? 'works' : 'fails'
  return error === '' ? 'works now; remove the reason why it cannot' : `cannot: ${tried.cannot}`
}

export const isAsExpected = ({ tried, error }: Result): boolean =>
  (error === '') === (tried.cannot === undefined)

export function formatTable(results: readonly Result[]): string {
  const rows = results.map((result) => `| ${result.tried.name} | ${verdict(result)} | ${result.done} |`)
  return ['| tried | | seen |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Writes a table between its markers in docs/hosts.md. Gives whether the page had another text before. */
export function writeTable(table: Case['table'], results: readonly Result[]): boolean {
  const [start, end] = [`<!-- ${table} -->`, `<!-- /${table} -->`]
  const page = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : `# Hosts and builds\n\n${start}\n${end}\n`
  const [before, rest] = [page.split(start)[0] ?? '', page.split(end)[1]]
  if (!page.includes(start) || rest === undefined)
    throw new Error(`Failed to write docs/hosts.md: it has no ${start} and ${end}.`)
  const next = `${before}${start}\n\n${formatTable(results)}\n\n${end}${rest}`
  if (next !== page) writeFileSync(PAGE, next)
  return next !== page
}

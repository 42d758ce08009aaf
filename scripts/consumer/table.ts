import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Case } from './Case.js'

/** The result of a case. `error` is empty if it works. */
export interface Result {
  readonly tried: Case
  readonly done: string
  readonly error: string
}

const PAGE = resolve(import.meta.dirname, '../../docs/hosts.md')

/** True if a case works, or if a case that cannot work fails with its own error. */
export const isAsExpected = ({ tried: { cannot }, error }: Result): boolean =>
  cannot ? error.includes(cannot.error) : error === ''

/** `works`, or why not. */
function verdict(result: Result): string {
  const { cannot } = result.tried
  if (!isAsExpected(result)) return cannot ? 'fails in another way, or works now' : 'fails'
  return cannot ? `cannot: ${cannot.reason}` : 'works'
}

const seenIn = (result: Result): string => {
  const said = verdict(result)
  return said === 'works' ? result.done : said
}

/** A line for each result. Neighbouring rows with the same result share a line. */
function formatLines(rows: readonly { readonly name: string; readonly seen: string }[]): string {
  const lines: { names: string[]; seen: string }[] = []
  for (const { name, seen } of rows) {
    const last = lines.at(-1)
    if (last?.seen === seen) last.names.push(name)
    else lines.push({ names: [name], seen })
  }
  return lines.map(({ names, seen }) => `- ${names.join('; ')} → ${seen}`).join('\n')
}

export const formatTable = (results: readonly Result[]): string =>
  formatLines(results.map((result) => ({ name: result.tried.name, seen: seenIn(result) })))

/** The page's current text for a case, if it has one. */
function seenBefore(name: string, page: string): string | undefined {
  for (const line of page.split('\n')) {
    const [names = '', seen] = line.replace(/^- /, '').split(' → ')
    if (names.split('; ').includes(name)) return seen
  }
  return undefined
}

export const readPage = (): string => readFileSync(PAGE, 'utf8')

export const writePage = (text: string): void => writeFileSync(PAGE, text)

/**
 * docs/hosts.md with a new list between its markers: a row for each case, in order. Cases that did not run
 * keep their row.
 */
export function pageWith(table: Case['table'], cases: readonly Case[], results: readonly Result[]): string {
  const [start, end] = [`<!-- ${table} -->`, `<!-- /${table} -->`]
  const [before, rest = ''] = readPage().split(start)
  const [old = '', after] = rest.split(end)
  if (before === undefined || after === undefined)
    throw new Error(`Failed to write docs/hosts.md: it has no ${start} and ${end}.`)
  const rows = cases.flatMap(({ name }) => {
    const result = results.find(({ tried }) => tried.name === name)
    const seen = result ? seenIn(result) : seenBefore(name, old)
    return seen === undefined ? [] : [{ name, seen }]
  })
  return `${before}${start}\n\n${formatLines(rows)}\n\n${end}${after}`
}

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Case } from './Case.js'

/** The result of a case. */
export interface Result {
  readonly name: string
  /** Empty if it does not work. */
  readonly seen: string
}

const PAGE = resolve(import.meta.dirname, '../../docs/hosts.md')

/** A line for each result. Neighbouring rows with the same result share a line. */
export function formatLines(rows: readonly Result[]): string {
  const lines: { names: string[]; seen: string }[] = []
  for (const { name, seen } of rows) {
    const last = lines.at(-1)
    if (last?.seen === seen) last.names.push(name)
    else lines.push({ names: [name], seen })
  }
  return lines.map(({ names, seen }) => `- ${names.join('; ')} → ${seen || 'fails'}`).join('\n')
}

/** The page's current text for a case, if it has one. */
function seenBefore(name: string, list: string): string | undefined {
  for (const line of list.split('\n')) {
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
export function pageWith(
  page: string,
  table: string,
  cases: readonly Case[],
  results: readonly Result[],
): string {
  const [start, end] = [`<!-- ${table} -->`, `<!-- /${table} -->`]
  const [before, rest = ''] = page.split(start)
  const [old = '', after] = rest.split(end)
  if (before === undefined || after === undefined)
    throw new Error(`Failed to write docs/hosts.md: it has no ${start} and ${end}.`)
  const rows = cases.flatMap(({ name }) => {
    const seen = results.find((result) => result.name === name)?.seen ?? seenBefore(name, old)
    return seen === undefined ? [] : [{ name, seen }]
  })
  return `${before}${start}\n\n${formatLines(rows)}\n\n${end}${after}`
}

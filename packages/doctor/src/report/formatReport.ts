import type { CheckResult, CheckStatus } from './Result.js'

const COLOURS: Readonly<Record<CheckStatus, number>> = { ok: 32, warn: 33, fail: 31, skipped: 90 }

const NAME_WIDTH = 18

const paint = (text: string, colour: number, coloured: boolean): string =>
  coloured ? `\u001b[${colour}m${text}\u001b[0m` : text

/** Two lines: what was seen, and what to do. */
export function formatResult({ status, name, seen, advice }: CheckResult, coloured: boolean): string {
  const word = paint(status.padEnd(8), COLOURS[status], coloured)
  return `${word}${name.padEnd(NAME_WIDTH)} ${seen}\n${' '.repeat(8)}-> ${advice}`
}

/** One line at the end: how many of each. */
export function formatSummary(results: readonly CheckResult[], coloured: boolean): string {
  const count = (status: CheckStatus): number => results.filter((result) => result.status === status).length
  const failed = count('fail')
  const verdict = failed > 0 ? `${failed} of ${results.length} checks failed.` : 'Nothing failed.'
  const others = `${count('ok')} ok, ${count('warn')} with a warning, ${count('skipped')} skipped.`
  return `${paint(verdict, failed > 0 ? COLOURS.fail : COLOURS.ok, coloured)} ${others}`
}

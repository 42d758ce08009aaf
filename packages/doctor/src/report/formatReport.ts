import { styleText } from 'node:util'
import { type CheckResult, isBad, type Report } from './Result.js'

const STATUS_WIDTH = 14
const NAME_WIDTH = 23

const paint = (text: string, colour: 'green' | 'yellow' | 'red', coloured: boolean): string =>
  coloured ? styleText(colour, text, { validateStream: false }) : text

function colourOf(result: CheckResult): 'green' | 'yellow' | 'red' {
  if (isBad(result)) return 'red'
  return result.status === 'ok' || result.status === 'proven' ? 'green' : 'yellow'
}

/** Formats the finding and, on a separate line, the advice. */
export function formatResult(result: CheckResult, coloured: boolean): string {
  const { status, name, seen, advice } = result
  const head = paint(status.padEnd(STATUS_WIDTH), colourOf(result), coloured) + name.padEnd(NAME_WIDTH)
  return advice === undefined ? head + seen : `${head}${seen}\n${' '.repeat(STATUS_WIDTH)}-> ${advice}`
}

/** Formats the last line: the overall result, and the number of checks for each status. */
export function formatSummary({ ok, checks }: Report, coloured: boolean): string {
  const bad = checks.filter(isBad).length
  const failed = bad > 0 ? `${bad} of ${checks.length} checks failed.` : 'The wire is not proven.'
  const verdict = ok ? paint('Nothing failed.', 'green', coloured) : paint(failed, 'red', coloured)
  const statuses = checks.map(({ status }) => status)
  const countOf = (status: string): number => statuses.filter((one) => one === status).length
  return `${verdict} ${[...new Set(statuses)].map((status) => `${countOf(status)} ${status}`).join(', ')}.`
}

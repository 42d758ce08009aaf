import { styleText } from 'node:util'
import { type CheckResult, isBad, type Report } from './Result.js'

const STATUS_WIDTH = 14
const NAME_WIDTH = 23

/** In a narrower terminal, the terminal itself wraps. */
const MIN_COLUMNS = 70

/** How the output looks. */
export interface Layout {
  readonly coloured: boolean
  /** Width of the terminal. `undefined`: lines are not wrapped. */
  readonly columns: number | undefined
}

type Colour = 'green' | 'yellow' | 'red'

const paint = (text: string, colour: Colour, { coloured }: Layout): string =>
  coloured ? styleText(colour, text, { validateStream: false }) : text

function colourOf(result: CheckResult): Colour {
  if (isBad(result)) return 'red'
  return result.status === 'ok' || result.status === 'proven' ? 'green' : 'yellow'
}

/** What was seen and, in a line of its own, what to do. */
export function formatResult(result: CheckResult, layout: Layout): string {
  const { status, name, seen, advice } = result
  const head = paint(status.padEnd(STATUS_WIDTH), colourOf(result), layout) + name.padEnd(NAME_WIDTH)
  const first = head + wrap(seen, STATUS_WIDTH + NAME_WIDTH, layout)
  if (advice === undefined) return first
  return `${first}\n${' '.repeat(STATUS_WIDTH)}-> ${wrap(advice, STATUS_WIDTH + 3, layout)}`
}

/** Breaks the lines of a text between words. Each begins at this column. */
function wrap(text: string, column: number, { columns = Infinity }: Layout): string {
  if (columns < MIN_COLUMNS) return text
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    if (line === undefined || column + line.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(column)}`)
}

/** One line at the end: the verdict, and how many of each. */
export function formatSummary({ ok, checks }: Report, layout: Layout): string {
  const bad = checks.filter(isBad).length
  const failed = bad > 0 ? `${bad} of ${checks.length} checks failed.` : 'The wire is not proven.'
  const verdict = ok ? paint('Nothing failed.', 'green', layout) : paint(failed, 'red', layout)
  const statuses = checks.map(({ status }) => status)
  const countOf = (status: string): number => statuses.filter((one) => one === status).length
  return `${verdict} ${[...new Set(statuses)].map((status) => `${countOf(status)} ${status}`).join(', ')}.`
}

import type { Ratio } from './ratios.js'

/** The ratios of one bench, for each run. */
export interface Measured {
  readonly title: string
  /** Describes one run: rounds, seconds. */
  readonly form: string
  readonly runs: readonly (readonly Ratio[])[]
}

/** One comparison over all runs of its bench. The values are those of the median run. */
export interface Row extends Ratio {
  /** The median of the runs' ratios, and their range. */
  readonly ratio: number
  readonly least: number
  readonly most: number
  readonly runs: number
  /** Number of runs that missed the aim. */
  readonly missed: number
}

/** What docs/bench/figures.json holds. Page and pictures are made from it. */
export interface Figures {
  /** Such as `2026-11-22`. */
  readonly date: string
  readonly quick: boolean
  readonly cpus: number
  readonly platform: string
  readonly node: string
  /** Names and versions of the peers. */
  readonly versions: Readonly<Record<string, string>>
  /** Titles of the benches that were left out. */
  readonly notRun: readonly string[]
  readonly benches: readonly {
    readonly title: string
    readonly form: string
    readonly rows: readonly Row[]
  }[]
}

const ratioOf = ({ own, other, ratio = own / other }: Ratio): number => ratio

function isMissed(one: Ratio): boolean {
  const { aim } = one
  if (aim === undefined) return false
  return 'atLeast' in aim ? ratioOf(one) < aim.atLeast : ratioOf(one) > aim.atMost
}

function summarizeRow(all: readonly Ratio[]): Row {
  const sorted = all.toSorted((a, b) => ratioOf(a) - ratioOf(b))
  const [least, median, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)]
  if (!least || !median || !most) throw new Error('Failed to summarize a row: it has no run.')
  const { what, gets, beside, own, other, unit, aim } = median
  const bounds = { ratio: ratioOf(median), least: ratioOf(least), most: ratioOf(most) }
  for (const value of [own, other, ...Object.values(bounds)])
    if (!Number.isFinite(value)) throw new Error(`Failed to summarize "${what}": a value of it is ${value}.`)
  const missed = all.filter(isMissed).length
  return { what, gets, beside, own, other, unit, ...bounds, runs: all.length, ...(aim && { aim }), missed }
}

/** The rows of a bench: the median of the runs, their range, and the values of the median run. */
export function summarize({ title, form, runs }: Measured): Figures['benches'][number] {
  const [first = []] = runs
  const rows = first.map(({ what, beside }) =>
    summarizeRow(runs.flatMap((run) => run.find((one) => one.what === what && one.beside === beside) ?? [])),
  )
  return { title, form: `${form}, ${runs.length === 1 ? 'one run' : `${runs.length} runs`}`, rows }
}

/** Small ratios have two digits, also 2.00: they stand beside others. */
export const formatRatio = (ratio: number): string =>
  ratio < 10 && ratio >= 0.01 ? ratio.toFixed(2) : formatNumber(ratio)

export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en')
  // Two digits after the point would be zeros.
  if (Math.abs(value) < 0.01)
    return value.toLocaleString('en', { maximumSignificantDigits: 2, maximumFractionDigits: 20 })
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

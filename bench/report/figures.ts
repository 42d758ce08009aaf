/** What a ratio has to reach. */
export type Aim = { readonly atLeast: number } | { readonly atMost: number }

/** One measured value and its baseline, from one run. */
export interface Ratio {
  readonly what: string
  /** The baseline: another program, or a limit. */
  readonly beside: string
  /** Both in `unit`, from the same run. */
  readonly own: number
  readonly other: number
  readonly unit: string
  /** The aim of `own / other`. */
  readonly aim?: Aim | undefined
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

/** The figures of one claim. */
export interface Measured {
  readonly id: string
  /** Describes the runs: rounds, seconds. */
  readonly form: string
  readonly rows: readonly Row[]
}

/** What docs/bench/figures.json holds. Page and pictures are made from it. */
export interface Figures {
  /** Such as `2026-11-22`. */
  readonly date: string
  readonly cpus: number
  readonly platform: string
  readonly node: string
  /** Names and versions of the peers. */
  readonly versions: Readonly<Record<string, string>>
  readonly claims: readonly Measured[]
}

export const isMissed = (ratio: number, aim: Aim | undefined): boolean =>
  aim !== undefined && !('atLeast' in aim ? ratio >= aim.atLeast : ratio <= aim.atMost)

export const formatAim = (aim: Aim): string =>
  'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`

/** The rows of some runs of a bench: the median of the runs, their range, and the values of the median run. */
export function summarize(runs: readonly (readonly Ratio[])[]): Row[] {
  const [first = []] = runs
  return first.map((row) => {
    const all = runs
      .flatMap((run) => run.find(({ what, beside }) => what === row.what && beside === row.beside) ?? [])
      .map((one) => ({ ...one, ratio: one.own / one.other }))
      .toSorted((a, b) => a.ratio - b.ratio)
    const median = all[all.length >> 1] ?? { ...row, ratio: NaN }
    const bounds = { least: all[0]?.ratio ?? NaN, most: all.at(-1)?.ratio ?? NaN }
    for (const value of [median.own, median.other, median.ratio, ...Object.values(bounds)])
      if (!Number.isFinite(value))
        throw new Error(`Failed to summarize "${row.what}": a value of it is ${value}.`)
    const missed = all.filter(({ ratio, aim }) => isMissed(ratio, aim)).length
    return { ...median, ...bounds, runs: all.length, missed }
  })
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

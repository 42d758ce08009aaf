import { writeFileSync } from 'node:fs'

/** One measured value and its baseline, from one run. */
export interface Ratio {
  readonly what: string
  /** The benefit for a user, as a sentence. */
  readonly gets: string
  /** The baseline: another program, a limit or an aim. */
  readonly beside: string
  /** Both in `unit`, from the same run. */
  readonly own: number
  readonly other: number
  readonly unit: string
  /** The aim of the ratio. */
  readonly aim?: { readonly atLeast: number } | { readonly atMost: number } | undefined
  /** Default `own / other`. */
  readonly ratio?: number | undefined
}

const index = process.argv.indexOf('--json')
const file = index < 0 ? undefined : process.argv[index + 1]

/** Writes the ratios of this run to the file of `--json`. Without this option it does nothing. */
export function writeRatios(ratios: readonly Ratio[]): void {
  if (file !== undefined) writeFileSync(file, JSON.stringify(ratios, null, 2))
}

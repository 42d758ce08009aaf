import { writeFileSync } from 'node:fs'
import { type Aim, formatAim, formatNumber, formatRatio, isMissed, type Ratio } from './figures.js'

/** The results of a bench. */
export interface Recorder {
  /** Prints a comparison, and keeps it for the report. */
  keep(ratio: Ratio): void
  /** Prints a number, and whether it reaches its aim. */
  hold(what: string, value: number, aim?: Aim): void
  /**
   * Writes what was kept to the file of `RATIOS_FILE`, if it is set. If an aim was missed, the process exits
   * with 1.
   */
  end(): void
}

export function createRecorder(): Recorder {
  const ratios: Ratio[] = []
  let missed = 0

  function hold(what: string, value: number, aim?: Aim): void {
    const isBad = isMissed(value, aim)
    if (isBad) missed += 1
    const verdict = aim === undefined ? '      ' : isBad ? 'MISSED' : 'holds '
    console.log(
      `  ${verdict}  ${what}: ${formatRatio(value)}${aim === undefined ? '' : ` (${formatAim(aim)})`}`,
    )
  }

  return {
    hold,
    keep(ratio) {
      const { what, beside, own, other, unit, aim } = ratio
      ratios.push(ratio)
      hold(
        `${what} beside ${beside}, ${formatNumber(own)} / ${formatNumber(other)} ${unit}`,
        own / other,
        aim,
      )
    },
    end() {
      const { RATIOS_FILE } = process.env
      if (RATIOS_FILE !== undefined) writeFileSync(RATIOS_FILE, JSON.stringify(ratios))
      if (missed > 0) process.exitCode = 1
    },
  }
}

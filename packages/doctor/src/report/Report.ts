import type { CheckResult } from './Result.js'

/** What one run found. `--json` prints it. */
export interface Report {
  /** False if a check failed. */
  readonly ok: boolean
  readonly target: 'service' | 'bff'
  readonly checks: readonly CheckResult[]
  /** The `meetings.wire` of the BFF, if the meetings interface was checked. */
  readonly wire?: WireReport | undefined
}

/** A part of `meetings.wire`, such as `params.limit`, with its value. */
export interface WireReport {
  /** To paste into `createBff`. */
  readonly wire: Readonly<Record<string, unknown>>
  /** Paths of the values that were seen to work. */
  readonly seen: readonly string[]
  /** Paths of the values that were not seen: the defaults of Stagepass. (Assumptions: "Meetings wire".) */
  readonly assumed: readonly string[]
}

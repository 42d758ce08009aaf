import type { MeetingsWire } from '@stagepass/contract'

/**
 * `warn`: it works, but with a restriction that you should know. `skipped`: it was not checked, and `advice`
 * says what is missing. `proven`, `contradicted` and `not provable` are the results for the wire.
 */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skipped' | 'proven' | 'contradicted' | 'not provable'

/** The result of a check. */
export interface Outcome {
  readonly status: CheckStatus
  /** A description of what was found, in our own words. It never contains text of the service or the BFF. */
  readonly seen: string
  /** What to do. Missing if there is nothing to do. */
  readonly advice?: string | undefined
}

export interface CheckResult extends Outcome {
  /** Stable name of the check, for machines, such as `params.limit`. */
  readonly name: string
}

/** The result of a run. `--json` prints it. It contains no secret. */
export interface Report {
  /**
   * False if a check failed or was contradicted. With `strict`, also false if the whole wire is not proven.
   */
  readonly ok: boolean
  readonly target: 'service' | 'bff'
  readonly checks: readonly CheckResult[]
  /** The wire that was checked: the defaults, and the values of `--wire`. */
  readonly wire?: MeetingsWire | undefined
}

const finding =
  (status: CheckStatus) =>
  (seen: string, advice?: string): Outcome => ({ status, seen, advice })

export const ok = finding('ok')
export const warn = finding('warn')
export const fail = finding('fail')
export const skipped = finding('skipped')
export const proven = finding('proven')
export const contradicted = finding('contradicted')
export const notProvable = finding('not provable')

/** True if something is wrong. Then the exit code is 1. */
export const isBad = ({ status }: Outcome): boolean => status === 'fail' || status === 'contradicted'

/** True if checks that need this one can run. */
export const isGood = ({ status }: Outcome): boolean => ['ok', 'warn', 'proven'].includes(status)

/** Thrown to end a check with this outcome. */
export class CheckEnded extends Error {
  override readonly name = 'CheckEnded'
  readonly outcome: Outcome

  constructor(outcome: Outcome, options?: ErrorOptions) {
    super(outcome.seen, options)
    this.outcome = outcome
  }
}

import type { MeetingsWire } from '@stagepass/contract'

/**
 * `warn`: it works, with a limit that you should know. `skipped`: it was not checked, and `advice` says
 * what it needs. `proven`, `contradicted` and `not provable` are the verdicts on the wire.
 */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skipped' | 'proven' | 'contradicted' | 'not provable'

/** What a check found. */
export interface Outcome {
  readonly status: CheckStatus
  /** What was seen, in sentences of ours. Text of the other side is never in it. */
  readonly seen: string
  /** What to do. Left out if there is nothing to do. */
  readonly advice?: string | undefined
}

export interface CheckResult extends Outcome {
  /** Stable name of the check, for machines, such as `params.limit`. */
  readonly name: string
}

/** What one run found. `--json` prints it. It holds no secret. */
export interface Report {
  /** False if something fails or is contradicted; with `strict` also while the wire is not proven. */
  readonly ok: boolean
  readonly target: 'service' | 'bff'
  readonly checks: readonly CheckResult[]
  /** The wire that was checked: the defaults, and what `--wire` gave. */
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

/** Something is wrong, and the exit code is 1. */
export const isBad = ({ status }: Outcome): boolean => status === 'fail' || status === 'contradicted'

/** Checks that need this one can run. */
export const isGood = ({ status }: Outcome): boolean => ['ok', 'warn', 'proven'].includes(status)

/** Ends a check with this outcome, from any depth. */
export class CheckEnded extends Error {
  override readonly name = 'CheckEnded'
  readonly outcome: Outcome

  constructor(outcome: Outcome, options?: ErrorOptions) {
    super(outcome.seen, options)
    this.outcome = outcome
  }
}

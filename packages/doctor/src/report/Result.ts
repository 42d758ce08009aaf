/** `warn`: it works, with a limit that someone should know. `skipped`: it was not checked, and `advice` says what it needs. */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'skipped'

/** What a check found: one line of result, one of advice. */
export interface Outcome {
  readonly status: CheckStatus
  /** What was seen, as a sentence of ours. Text of the other side is never in it. */
  readonly seen: string
  /** What to do, as a sentence. */
  readonly advice: string
}

export interface CheckResult extends Outcome {
  /** Stable name of the check, for machines. */
  readonly name: string
}

export const NOTHING_TO_DO = 'Nothing to do.'

export const ok = (seen: string, advice = NOTHING_TO_DO): Outcome => ({ status: 'ok', seen, advice })
export const warn = (seen: string, advice: string): Outcome => ({ status: 'warn', seen, advice })
export const fail = (seen: string, advice: string): Outcome => ({ status: 'fail', seen, advice })
export const skipped = (seen: string, advice: string): Outcome => ({ status: 'skipped', seen, advice })

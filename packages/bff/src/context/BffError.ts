import { BFF_ERRORS, type BffErrorCode, MEETINGS_RATE } from '@stagepass/contract'
import { BFF_TITLES } from '@stagepass/contract/titles'
import { BudgetRefusal } from '../budget/Budget.js'

export interface BffErrorDetails {
  /** Where it differs from the table: `UPSTREAM_ERROR` is retryable for a 5xx. */
  readonly retryable?: boolean | undefined
  /** The part of the request that was refused. */
  readonly field?: string | undefined
  /** The upstream's request id, already checked to look like one. */
  readonly reqId?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** Methods of the address, for the header Allow. */
  readonly allow?: string | undefined
  /** For events only: it never reaches an answer. */
  readonly cause?: unknown
}

/** A request that ends in a row of the error table. What the client reads is the table's message, never a cause. */
export class BffError extends Error {
  override readonly name = 'BffError'
  readonly code: BffErrorCode
  readonly retryable: boolean
  readonly field: string | undefined
  readonly reqId: string | undefined
  readonly retryAfterMs: number | undefined
  readonly allow: string | undefined

  constructor(code: BffErrorCode, details: BffErrorDetails = {}) {
    super(BFF_TITLES[code], { cause: details.cause })
    this.code = code
    this.retryable = details.retryable ?? BFF_ERRORS[code].retryable
    this.field = details.field
    this.reqId = details.reqId
    this.retryAfterMs = details.retryAfterMs
    this.allow = details.allow
  }
}

/** Why a request's signal was aborted: the reason of its `AbortSignal`. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded'
  readonly why: 'deadline' | 'client-gone' | 'shutdown' | 'nobody-waits'

  constructor(why: CallEnded['why']) {
    super(`The call ended early: ${why}.`)
    this.why = why
  }
}

/** What a request is waiting for. */
export type CallStage = 'authorize' | 'body' | 'secret' | 'queue' | 'upstream'

/** What it means when the deadline passes in that stage. */
const LATE = {
  authorize: 'AUTHORIZE_FAILED',
  body: 'REQUEST_TIMEOUT',
  secret: 'SECRET_UNAVAILABLE',
  queue: 'BUDGET_EXHAUSTED',
  upstream: 'UPSTREAM_TIMEOUT',
} as const satisfies Record<CallStage, BffErrorCode>

/** When to come back to a server that is going away: another instance takes over at once. */
export const SHUTDOWN_RETRY_MS = 1_000

/** The one place where a thrown thing becomes a row of the table. `stage` is where the request was when it was thrown. */
export function toBffError(thrown: unknown, stage: CallStage): BffError {
  if (thrown instanceof BffError) return thrown
  if (thrown instanceof BudgetRefusal) {
    const code = thrown.reason === 'closing' ? 'SHUTTING_DOWN' : 'BUDGET_EXHAUSTED'
    return new BffError(code, { retryAfterMs: thrown.retryAfterMs, cause: thrown })
  }
  if (!(thrown instanceof CallEnded)) return new BffError('INTERNAL_ERROR', { cause: thrown })
  if (thrown.why === 'shutdown') return new BffError('SHUTTING_DOWN', { retryAfterMs: SHUTDOWN_RETRY_MS })
  const code = LATE[stage]
  const retryAfterMs = code === 'BUDGET_EXHAUSTED' ? MEETINGS_RATE.windowMs : undefined
  return new BffError(code, { retryAfterMs, cause: thrown })
}

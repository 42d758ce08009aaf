import { type BffErrorCode, MEETINGS_RATE } from '@stagepass/contract'
import { BudgetRefusal } from '../budget/Budget.js'
import { BffError } from './BffError.js'
import { CallEnded } from './Cancellation.js'
import type { CallStage } from './RequestContext.js'

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

import type { BffErrorCode } from '@stagepass/contract'
import { BudgetRefusal } from '@stagepass/budget'
import { BffError } from '../base/BffError.js'
import { Cancelled } from './Cancelled.js'

/** The error code of a missed deadline in each stage. */
const LATE = {
  authorize: 'AUTHORIZE_FAILED',
  body: 'REQUEST_TIMEOUT',
  secret: 'SECRET_UNAVAILABLE',
  queue: 'BUDGET_EXHAUSTED',
  upstream: 'UPSTREAM_TIMEOUT',
} as const satisfies Record<string, BffErrorCode>

/** What a request is waiting for. */
export type Stage = keyof typeof LATE

/** Turns any thrown value into a row of the error table. `stage` is what the request was waiting for. */
export function toBffError(thrown: unknown, stage: Stage): BffError {
  if (thrown instanceof BffError) return thrown
  if (thrown instanceof BudgetRefusal) {
    const code = thrown.reason === 'closing' ? 'SHUTTING_DOWN' : 'BUDGET_EXHAUSTED'
    return new BffError(code, { retryAfterMs: thrown.retryAfterMs, cause: thrown })
  }
  if (!(thrown instanceof Cancelled)) return new BffError('INTERNAL_ERROR', { cause: thrown })
  if (thrown.reason === 'shutdown') return new BffError('SHUTTING_DOWN')
  if (thrown.reason === 'forgotten') return new BffError('ENDED_BY_SERVER', { seen: { cause: 'forgotten' } })
  return new BffError(LATE[stage], { cause: thrown })
}

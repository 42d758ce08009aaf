import { BudgetRefusal, type Slot, type SlotUser } from '@stagepass/budget'
import { BffError } from '../base/BffError.js'
import type { MeetingsCall, Upstream } from '../upstream/createUpstream.js'
import { withRetries } from '../upstream/retry.js'
import type { Sender } from '../upstream/sendRequest.js'

interface WayToService {
  readonly upstream: Upstream
  /** The longest time that a request may take. */
  readonly deadlineMs: number
}

/**
 * Sends a request to the meetings interface when the budget of its account has a slot. After the first 429 it
 * waits for the end of the freeze, and sends the request once more. Returns the body of a 2xx. `waiters`: those
 * who wait for it.
 */
export async function sendInBudget(
  { upstream, deadlineMs }: WayToService,
  call: MeetingsCall,
  credential: string,
  { account, context }: Sender,
  waiters: ReadonlySet<SlotUser>,
): Promise<unknown> {
  const { budget } = account
  const { clock } = context.platform
  const acquire = { user: () => waiters, deadlineMs: () => context.remainingMs(), signal: context.signal }
  let frozenMs: number | undefined
  return withRetries(
    context,
    call.operation,
    async (fresh) => {
      for (;;) {
        context.stage = 'queue'
        const wait = context.span?.begin('budget', account.name)
        const slot: Slot = await budget
          .acquire(acquire)
          .catch((refusal: unknown) => {
            throw afterFreeze(refusal, frozenMs)
          })
          .finally(() => wait?.end({}))
        const cancelLimit = clock.after(deadlineMs, () => context.cancel('deadline'))
        const request = { ...call, account, context, slot, fresh }
        const answer = await upstream.sendMeetings(credential, request).finally(cancelLimit)
        if ('body' in answer) return answer.body
        budget.rateLimited(answer.retryAfterMs, slot)
        if (frozenMs !== undefined) throw answer.error
        // The budget is frozen now. The next slot comes after the freeze.
        frozenMs = answer.retryAfterMs ?? budget.gauge().frozenMs
      }
    },
    (call.method ?? 'GET') === 'GET',
  )
}

/** If there was no slot after a 429, the cause is the upstream's limit and not our queue. */
function afterFreeze(refusal: unknown, frozenMs: number | undefined): unknown {
  if (frozenMs === undefined || !(refusal instanceof BudgetRefusal) || refusal.reason === 'closing')
    return refusal
  const retryAfterMs = Math.max(frozenMs, refusal.retryAfterMs)
  const wait = ` (Retry-After: ${Math.ceil(retryAfterMs / 1_000)} s)`
  return new BffError('UPSTREAM_RATE_LIMITED', { retryAfterMs, seen: { cause: 'meetings', wait } })
}

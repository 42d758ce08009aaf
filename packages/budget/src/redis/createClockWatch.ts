import type { Clock } from '../core/Clock.js'
import type { BudgetReply } from '../core/protocol.js'

/** What two clocks may differ by: their grain, and their drift as a part of the time. */
const GRAIN_MS = 20
const DRIFT = 0.001

/**
 * Sees a step forward of the store's clock. Between two calls the store's time cannot grow by more than this
 * process counts from the sending of the first to the reply to the second, however slow the network is. If it
 * does, slots came free too early: the grants of calls that were sent until then are not used.
 */
export function createClockWatch(clock: Clock): (reply: BudgetReply, sentAt: number) => BudgetReply {
  let last: { readonly sentAt: number; readonly storeAt: number } | undefined
  let steppedAt = -Infinity
  return (reply, sentAt) => {
    const now = clock.now()
    const longestMs = last === undefined ? Infinity : (now - last.sentAt) * (1 + DRIFT) + GRAIN_MS
    const byMs = Math.floor(reply.at - (last?.storeAt ?? 0) - longestMs)
    if (last === undefined || sentAt >= last.sentAt) last = { sentAt, storeAt: reply.at }
    if (byMs > 0) steppedAt = now
    if (sentAt > steppedAt) return reply
    const stepped = byMs > 0 ? [{ type: 'budget.store', reason: 'clock-stepped', byMs } as const] : []
    return { ...reply, granted: [], notices: [...reply.notices, ...stepped] }
  }
}

import type { QueuedRequest } from '../BudgetState.js'
import type { BudgetReply } from '../protocol.js'
import type { Turn } from '../Turn.js'
import { currentLimit, type Forecast } from './opening.js'
import { tellShared } from './sharedCalls.js'

/** The reply to the calling instance: the results of its requests, when to call again, and the state of the account. */
export function replyOf(turn: Turn, queue: readonly QueuedRequest[], forecast: Forecast): BudgetReply {
  const { state, rules, op, now, granted, shared, covered, refused, notices } = turn
  const { opensAt, waitMs } = forecast
  tellShared(turn)
  const places = new Map(queue.map((waiter, position) => [waiter.call ?? waiter.id, position]))
  const waiting: [string, number][] = []
  let ahead = Infinity
  for (const waiter of state.waiters) {
    const position = places.get(waiter.call ?? waiter.id)
    if (position === undefined || waiter.instance !== op.instance) continue
    waiting.push([waiter.id, waitMs(position)])
    // If another instance gets the slot, this one learns it at a later call.
    ahead = Math.min(ahead, queue[position]?.instance === op.instance ? position : position + 1)
  }

  let nextMs = rules.heartbeatMs
  if (ahead < Infinity) {
    const turnAt = opensAt + Math.floor((ahead * rules.windowMs) / rules.limit)
    nextMs = Math.min(Math.max(1, Math.ceil(turnAt - now)), rules.pollMs)
  }
  if (!op.actions.some(({ type }) => type === 'bye')) state.dueAt[op.instance] = now + nextMs

  return {
    at: now,
    epoch: state.epoch,
    calls: state.calls,
    granted,
    shared,
    waiting,
    covered,
    refused,
    nextMs,
    openMs: Math.ceil(opensAt - now),
    limit: currentLimit(turn),
    frees: state.slots.map((slot) => slot.freeAt - now).toSorted((a, b) => a - b),
    waitingTotal: queue.length,
    frozenMs: Math.max(0, Math.ceil(state.frozenUntil - now)),
    strict: state.strict,
    foreignUse: state.foreignUse,
    instances: Object.keys(state.dueAt).length,
    apart: state.apart[op.instance] !== undefined,
    notices,
  }
}

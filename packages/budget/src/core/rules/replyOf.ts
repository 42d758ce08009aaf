import type { QueuedRequest } from './BudgetState.js'
import type { BudgetReply } from '../protocol.js'
import { countInstances, type Forecast } from './opening.js'
import { tellShared } from './sharedCalls.js'
import { KeyMap, sortNumbers } from './tables.js'
import type { Turn } from './Turn.js'

/**
 * The reply to the calling instance: the results of its requests, when to call again, and the state of the
 * account.
 */
export function replyOf(turn: Turn, queue: readonly QueuedRequest[], forecast: Forecast): BudgetReply {
  const { state, rules, op, now, granted, shared, covered, refused, notices } = turn
  const { opensAt, waitMs } = forecast
  tellShared(turn)
  const places = new KeyMap<string, number>()
  let place = 0
  for (const waiter of queue) {
    places.set(waiter.call ?? waiter.id, place)
    place += 1
  }
  const waiting: [string, number][] = []
  let ahead = Infinity
  for (const waiter of state.waiters) {
    const position = places.get(waiter.call ?? waiter.id)
    if (position !== undefined && waiter.instance === op.instance) {
      waiting.push([waiter.id, waitMs(position)])
      // If another instance gets the slot, this one learns it at a later call.
      ahead = Math.min(ahead, queue[position]?.instance === op.instance ? position : position + 1)
    }
  }

  let nextMs = rules.heartbeatMs
  if (ahead < Infinity) {
    const turnAt = opensAt + Math.floor((ahead * rules.windowMs) / rules.limit)
    nextMs = Math.min(Math.max(1, Math.ceil(turnAt - now)), rules.pollMs)
  }
  if (!op.actions.some((action) => action.type === 'bye')) state.dueAt[op.instance] = now + nextMs

  const frees = state.slots.map((slot) => slot.freeAt - now)
  sortNumbers(frees)
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
    limit: rules.limit - state.lowered,
    frees,
    waitingTotal: queue.length,
    frozenMs: Math.max(0, Math.ceil(state.frozenUntil - now)),
    strict: state.strict,
    foreignUse: state.foreignUse,
    instances: countInstances(state),
    apart: state.apart[op.instance] !== undefined,
    notices,
  }
}

import type { QueuedRequest } from '../BudgetState.js'
import type { RefusalReason } from '../events.js'
import type { Turn } from '../Turn.js'
import { isPresent } from './fairOrder.js'
import type { Forecast } from './opening.js'

/**
 * Refuses new requests that cannot get a slot in time, and keeps the queue to its maximum length. Returns the rest of it. The instances of
 * earlier requests that lose their place see that they are missing, ask again, and are refused.
 */
export function admit(turn: Turn, queue: readonly QueuedRequest[], forecast: Forecast): QueuedRequest[] {
  const { state, rules, now, added, refused } = turn
  if (!state.waiters.some((waiter) => added.has(waiter.id))) return [...queue]
  const beyond = beyondOwnLine(turn)
  const requests = byCall(state.waiters)
  const gone = new Set<QueuedRequest>()
  const kept: QueuedRequest[] = []
  for (const head of queue) {
    const isFull = kept.length >= rules.maxWaiting
    const retryAfterMs = forecast.waitMs(kept.length)
    let next: QueuedRequest | undefined
    for (const waiter of requests.get(head.call ?? head.id) ?? []) {
      const isNew = added.has(waiter.id)
      let reason: RefusalReason | undefined
      if (isNew && beyond.has(waiter)) reason = 'user-queue-full'
      else if (isFull) reason = 'queue-full'
      else if (isNew && retryAfterMs > waiter.until - now) reason = 'too-late'
      if (reason !== undefined) gone.add(waiter)
      else if (next === undefined || waiter === head) next = waiter
      if (reason !== undefined && isNew) refused.push({ id: waiter.id, reason, retryAfterMs })
    }
    if (next !== undefined) kept.push(next)
  }
  if (gone.size > 0) state.waiters = state.waiters.filter((waiter) => !gone.has(waiter))
  return kept
}

function byCall(waiters: readonly QueuedRequest[]): Map<string, QueuedRequest[]> {
  const requests = new Map<string, QueuedRequest[]>()
  for (const waiter of waiters) {
    const call = waiter.call ?? waiter.id
    const same = requests.get(call)
    if (same === undefined) requests.set(call, [waiter])
    else same.push(waiter)
  }
  return requests
}

/** In order of arrival, the requests with which their user waits for more calls than one user may. */
function beyondOwnLine(turn: Turn): Set<QueuedRequest> {
  const beyond = new Set<QueuedRequest>()
  const calls = new Map<string, Set<string>>()
  for (const waiter of turn.state.waiters) {
    if (!isPresent(turn, waiter)) continue
    const own = calls.get(waiter.user) ?? new Set()
    calls.set(waiter.user, own)
    const call = waiter.call ?? waiter.id
    if (own.has(call)) continue
    if (own.size < turn.rules.maxWaitingPerUser) own.add(call)
    else beyond.add(waiter)
  }
  return beyond
}

import type { QueuedRequest } from '../BudgetState.js'
import type { RefusalReason } from '../events.js'
import type { Turn } from '../Turn.js'
import { isPresent, startOf } from './fairOrder.js'
import type { Forecast } from './opening.js'

/**
 * The queue keeps so many requests of a call: the best placed of different users. The first gives the call its place. The others hold it if that
 * one leaves, or its instance is gone. Requests that are not kept are covered: their instances offer them again from time to time.
 */
export const KEPT_OF_CALL = 4

/**
 * Refuses new requests that cannot get a slot in time, and keeps the queue to its maximum length. Returns the rest of it. The instances of
 * earlier requests that lose their place see that they are missing, ask again, and are refused.
 */
export function admit(turn: Turn, queue: readonly QueuedRequest[], forecast: Forecast): QueuedRequest[] {
  const { state, rules, op, now, added, refused, covered } = turn
  if (!state.waiters.some((waiter) => added.has(waiter.id))) return [...queue]
  // Instances that died leave theirs behind.
  if (state.waiters.length > 2 * rules.maxWaiting * KEPT_OF_CALL)
    state.waiters = state.waiters.filter((waiter) => isPresent(turn, waiter))
  const beyond = beyondOwnLine(turn)
  const requests = byCall(state.waiters)
  const isNewCall = (head: QueuedRequest): boolean =>
    (requests.get(head.call ?? head.id) ?? []).some((waiter) => added.has(waiter.id))
  const gone = new Set<QueuedRequest>()
  const kept: QueuedRequest[] = []
  for (const head of queue) {
    const isFull = kept.length >= rules.maxWaiting
    if (!isFull && !isNewCall(head)) {
      kept.push(head)
      continue
    }
    const retryAfterMs = forecast.waitMs(kept.length)
    const rest: QueuedRequest[] = []
    for (const waiter of requests.get(head.call ?? head.id) ?? []) {
      const isNew = added.has(waiter.id)
      let reason: RefusalReason | undefined
      if (isNew && beyond.has(waiter)) reason = 'user-queue-full'
      else if (isFull) reason = 'queue-full'
      else if (isNew && retryAfterMs > waiter.until - now) reason = 'too-late'
      if (reason === undefined) rest.push(waiter)
      else gone.add(waiter)
      if (reason !== undefined && isNew) refused.push({ id: waiter.id, reason, retryAfterMs })
    }
    for (const waiter of notKept(turn, rest)) {
      gone.add(waiter)
      if (waiter.instance === op.instance) covered.push([waiter.id, startOf(state, waiter.user)])
    }
    const next = gone.has(head) ? rest.find((waiter) => !gone.has(waiter)) : head
    if (next !== undefined) kept.push(next)
  }
  if (gone.size > 0) state.waiters = state.waiters.filter((waiter) => !gone.has(waiter))
  return kept
}

function notKept({ ranked }: Turn, sameCall: readonly QueuedRequest[]): QueuedRequest[] {
  if (sameCall.length <= KEPT_OF_CALL) return []
  const all = new Set(sameCall)
  const kept = new Set(ranked.filter((waiter) => all.has(waiter)).slice(0, KEPT_OF_CALL))
  // Then the second requests of these users, and those of instances that are late.
  for (const waiter of sameCall) if (kept.size < KEPT_OF_CALL) kept.add(waiter)
  return sameCall.filter((waiter) => !kept.has(waiter))
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

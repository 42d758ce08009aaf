import type { QueuedRequest } from './BudgetState.js'
import type { RefusalReason } from '../events.js'
import type { Turn } from './Turn.js'
import { isPresent, startOf, userAndCall } from './fairOrder.js'
import type { Forecast } from './opening.js'
import { KeyMap, KeySet } from './tables.js'

/**
 * The queue keeps so many requests of a call: the best placed of different users. The first gives the call
 * its place. The others hold it if that one leaves, or its instance is gone. Requests that are not kept are
 * covered: their instances offer them again from time to time.
 */
export const KEPT_OF_CALL = 4

/**
 * Refuses new requests that cannot get a slot in time, and keeps the queue to its maximum length. Returns the
 * rest of it. The instances of earlier requests that lose their place see that they are missing, ask again,
 * and are refused.
 */
export function admit(turn: Turn, queue: QueuedRequest[], forecast: Forecast): QueuedRequest[] {
  const { state, rules, op, now, added, refused, covered } = turn
  const users = new KeySet<string>()
  const newCalls = new KeySet<string>()
  let isAnyNew = false
  for (const waiter of state.waiters) {
    if (added.has(waiter.id)) {
      users.add(waiter.user)
      newCalls.add(waiter.call ?? waiter.id)
      isAnyNew = true
    }
  }
  if (!isAnyNew) return queue
  // Instances that died leave theirs behind.
  if (state.waiters.length > 2 * rules.maxWaiting * KEPT_OF_CALL)
    state.waiters = state.waiters.filter((waiter) => isPresent(turn, waiter))
  const beyond = beyondOwnQueue(turn, users)
  const gone = new KeySet<QueuedRequest>()
  const kept: QueuedRequest[] = []

  /** Returns the request with which the call keeps its place, if it keeps it. */
  const admitCall = (head: QueuedRequest, isFull: boolean): QueuedRequest | undefined => {
    const retryAfterMs = forecast.waitMs(kept.length)
    const rest: QueuedRequest[] = []
    for (const waiter of requestsOf(state.waiters, head)) {
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
    return gone.has(head) ? rest.find((waiter) => !gone.has(waiter)) : head
  }

  for (const head of queue) {
    const isFull = kept.length >= rules.maxWaiting
    const isNewCall = newCalls.has(head.call ?? head.id)
    const next = isFull || isNewCall ? admitCall(head, isFull) : head
    if (next !== undefined) kept.push(next)
  }
  state.waiters = state.waiters.filter((waiter) => !gone.has(waiter))
  return kept
}

function notKept(turn: Turn, sameCall: readonly QueuedRequest[]): QueuedRequest[] {
  if (sameCall.length <= KEPT_OF_CALL) return []
  const all = new KeySet<QueuedRequest>()
  for (const waiter of sameCall) all.add(waiter)
  const kept = new KeySet<QueuedRequest>()
  let count = 0
  const keep = (waiter: QueuedRequest): void => {
    if (count >= KEPT_OF_CALL || !all.has(waiter) || kept.has(waiter)) return
    kept.add(waiter)
    count += 1
  }
  for (const waiter of turn.ranked) keep(waiter)
  // Then the second requests of these users, and those of instances that are late.
  for (const waiter of sameCall) keep(waiter)
  return sameCall.filter((waiter) => !kept.has(waiter))
}

function requestsOf(waiters: readonly QueuedRequest[], head: QueuedRequest): readonly QueuedRequest[] {
  return head.call === undefined ? [head] : waiters.filter((waiter) => waiter.call === head.call)
}

/** Of these users, in order of arrival, the requests for more calls than one user may wait for. */
function beyondOwnQueue(turn: Turn, users: KeySet<string>): KeySet<QueuedRequest> {
  const beyond = new KeySet<QueuedRequest>()
  const calls = new KeySet<string>()
  const lengths = new KeyMap<string, number>()
  for (const waiter of turn.state.waiters) {
    if (users.has(waiter.user) && isPresent(turn, waiter)) {
      const call = userAndCall(waiter)
      const isNewCall = !calls.has(call)
      const length = lengths.get(waiter.user) ?? 0
      if (isNewCall && length < turn.rules.maxWaitingPerUser) {
        calls.add(call)
        lengths.set(waiter.user, length + 1)
      } else if (isNewCall) beyond.add(waiter)
    }
  }
  return beyond
}

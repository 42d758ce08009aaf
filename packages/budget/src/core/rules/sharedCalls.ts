import type { BudgetState, HeldSlot, QueuedRequest } from './BudgetState.js'
import type { Turn } from './Turn.js'
import { enqueue } from './fairOrder.js'

/*
 * Requests with the same `call` need one slot. Each has its own entry in the queue, and the call has the
 * place of the first of them. When one is granted, the others leave the queue, and the reply to the next call
 * of their instance names them:
 *
 *   waiters --another is granted--> shared --its instance calls--> gone
 *      ^                              |
 *      '--the slot was not used-------'
 */

/**
 * Whether the slot of another request makes this call now, or has made it since the request was covered. An
 * instance that makes it now must be alive.
 */
export function isBeingMade(turn: Turn, call: string | undefined, coveredAt = Infinity): boolean {
  const { state, rules, now } = turn
  if (call === undefined) return false
  return state.slots.some(
    (slot) =>
      slot.call === call &&
      (slot.doneAt >= 0
        ? slot.grantedAt >= coveredAt
        : now <= slot.freeAt - rules.windowMs &&
          now <= (state.dueAt[slot.instance ?? ''] ?? 0) + rules.lateMs),
  )
}

/**
 * After a grant: takes all other requests with this call out of the queue. Returns whether there were any.
 */
export function shareCall(state: BudgetState, call: string | undefined): boolean {
  if (call === undefined) return false
  const others = state.waiters.filter((waiter) => waiter.call === call)
  if (others.length === 0) return false
  state.waiters = state.waiters.filter((waiter) => waiter.call !== call)
  for (const waiter of others) state.shared.push(waiter)
  return true
}

/** After a slot was given back without a response: those that no reply has named yet wait again. */
export function unshareCall(state: BudgetState, held: HeldSlot): void {
  const { call } = held
  if (call === undefined) return
  held.call = undefined
  const others = state.shared.filter((waiter) => waiter.call === call)
  state.shared = state.shared.filter((waiter) => waiter.call !== call)
  for (const waiter of others) {
    enqueue(state, waiter.user)
    state.waiters.push(waiter)
  }
}

/**
 * The caller's requests whose call another one makes. Each is named in one reply; a request that asks again
 * gets a new result.
 */
export function tellShared(turn: Turn): void {
  const { state, op, shared } = turn
  for (const waiter of state.shared) if (waiter.instance === op.instance) shared.push(waiter.id)
  state.shared = state.shared.filter((waiter) => waiter.instance !== op.instance)
}

/** Whether two requests of the queue need the same slot. */
export function isSameCall(one: QueuedRequest, other: QueuedRequest): boolean {
  return one === other || (one.call !== undefined && one.call === other.call)
}

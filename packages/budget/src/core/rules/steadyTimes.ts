import { fewestSlots, LONGEST_RETRY_AFTER_MS } from './countLimited.js'
import { justLateMs } from './opening.js'
import type { Turn } from './Turn.js'

/** A smaller step is mended without an event. */
const NOTICED_STEP_MS = 500
/** No request waits longer. */
export const LONGEST_WAIT_MS = 3_600_000

/**
 * Moves all times of the state back if the clock has stepped back since the last call, and cuts each to the
 * largest value that it can have. So nothing is held for longer than it could be.
 */
export function steadyTimes(turn: Turn): void {
  const { state, rules, now, notices } = turn
  const byMs = Math.max(0, state.lastAt - now)
  state.lastAt = now
  if (byMs >= NOTICED_STEP_MS) notices.push({ type: 'budget.store', reason: 'clock-stepped', byMs: -byMs })
  const steady = (at: number, longestMs: number): number => Math.min(at - byMs, now + longestMs)

  for (const slot of state.slots) {
    slot.grantedAt = steady(slot.grantedAt, 0)
    if (slot.doneAt >= 0) slot.doneAt = Math.max(0, steady(slot.doneAt, 0))
    slot.freeAt = steady(slot.freeAt, rules.timeoutMs + rules.windowMs + rules.marginMs + rules.graceMs)
  }
  for (const list of [state.waiters, state.shared])
    for (const waiter of list) waiter.until = steady(waiter.until, LONGEST_WAIT_MS)
  const longestDueMs = Math.max(rules.heartbeatMs, rules.pollMs)
  for (const instance in state.dueAt) {
    const dueAt = steady(state.dueAt[instance] ?? 0, longestDueMs)
    // How long it has been without the state is not known any longer.
    state.dueAt[instance] = byMs < NOTICED_STEP_MS ? dueAt : Math.min(dueAt, now - justLateMs(rules))
  }
  const longestFreezeMs = Math.max(LONGEST_RETRY_AFTER_MS, rules.windowMs + rules.graceMs)
  state.frozenUntil = steady(state.frozenUntil, longestFreezeMs)
  for (const instance in state.apart)
    state.apart[instance] = steady(state.apart[instance] ?? 0, rules.windowMs + rules.graceMs)
  state.loweredAt = steady(state.loweredAt, 0)
  state.steppedAt = steady(state.steppedAt, 0)
  if (state.limitedAt >= 0) state.limitedAt = Math.max(0, steady(state.limitedAt, 0))
  // Rules with another limit may have been in use.
  state.lowered = Math.max(0, Math.min(state.lowered, rules.limit - fewestSlots(rules)))
}

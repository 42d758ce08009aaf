import { type BudgetState, isOfInstance } from './BudgetState.js'
import type { OwnSlot } from '../protocol.js'
import { forget, KeySet } from './tables.js'
import type { Turn } from './Turn.js'

/**
 * An instance that is so late for its call may be using slots without the state. It does not begin earlier.
 */
export const LATE_MS = 500
/** A caller without a reply for so long was cut off. */
const CUT_MS = 750
/** An instance that has not called for this long after it was due is no longer counted. */
export const FORGET_MS = 60_000

/*
 * An instance that does not reach the state goes on: for a window it uses the slots that it holds again, as
 * they come free, and after that its share of the limit. So the state keeps the slots of an instance that is
 * late, and keeps back what its share has beyond them (`opening.ts`), until the instance reports what it
 * holds now, or a window has passed.
 */
export function noticeApart(turn: Turn): void {
  const { state, rules, op, now, previousAt } = turn
  const keptMs = rules.windowMs + rules.graceMs
  // If the caller is late too, the state was away for all of them since the call before this one. Then each
  // has a whole window from now on to come back.
  const wasAway = now > (state.dueAt[op.instance] ?? 0) + LATE_MS
  const hereUntil = wasAway ? previousAt : now
  for (const instance in state.dueAt) {
    const dueAt = state.dueAt[instance] ?? 0
    const keptUntil = Math.max(dueAt + keptMs, state.apart[instance] ?? 0)
    const isGone = keptUntil <= hereUntil || dueAt + FORGET_MS <= hereUntil
    if (now > dueAt + LATE_MS && !isGone) state.apart[instance] = wasAway ? now + keptMs : keptUntil
  }
  // Its calls are run, and the replies are lost.
  if (op.after !== 'reply' && op.silentMs >= CUT_MS) state.apart[op.instance] = now + keptMs
  if (op.own !== undefined) takeOver(state, op.instance, op.own, now)

  for (const instance in state.apart) {
    const until = state.apart[instance] ?? 0
    if (until <= now) forget(state.apart, instance)
    else keepSlots(state, instance, until)
  }
}

function keepSlots(state: BudgetState, instance: string, until: number): void {
  for (const slot of state.slots)
    if (slot.doneAt >= 0 && isOfInstance(slot.id, instance)) slot.freeAt = Math.max(slot.freeAt, until)
}

/** What the instance reports takes the place of what the state knew of it. */
function takeOver(state: BudgetState, instance: string, own: readonly OwnSlot[], now: number): void {
  forget(state.apart, instance)
  const ids = new KeySet<string>()
  for (const { id } of own) ids.add(id)
  state.waiters = state.waiters.filter((waiter) => !ids.has(waiter.id))
  state.slots = state.slots.filter((slot) => !isOfInstance(slot.id, instance))
  for (const { id, user, call, grantedMsAgo, doneMsAgo, freeMs } of own) {
    state.slots.push({
      id,
      user,
      call,
      instance: call === undefined ? undefined : instance,
      grantedAt: now - grantedMsAgo,
      doneAt: doneMsAgo < 0 ? -1 : now - doneMsAgo,
      freeAt: now + freeMs,
    })
  }
}

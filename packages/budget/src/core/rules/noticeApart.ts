import type { BudgetState } from '../BudgetState.js'
import type { OwnSlot } from '../protocol.js'
import type { Turn } from '../Turn.js'

/** An instance that is this late for its call may be using its slots without the state. It does so later than this. */
const LATE_MS = 500
/** A caller without an answer for so long was cut off. */
const CUT_MS = 750

/*
 * An instance without the state goes on with the slots that it holds: each that comes free it may use again. So the state keeps the slots of
 * an instance that is late, until it reports what it holds now, or a window has passed. If the caller was cut off too, the state was away for
 * all, perhaps so long that instances used more than they held: then no slot is given until all have reported.
 */
export function noticeApart({ state, rules, op, now }: Turn): void {
  const keptMs = rules.windowMs + rules.graceMs
  const cut = op.after !== 'answer' && op.silentMs >= CUT_MS
  let awaited = false
  for (const [instance, dueAt] of Object.entries(state.dueAt)) {
    if (now <= dueAt + LATE_MS) continue
    // One that was late before the caller was cut off is gone, or was cut off alone.
    const withCaller = cut && dueAt + LATE_MS >= now - op.silentMs
    const until = (withCaller ? now : dueAt) + keptMs
    if (until <= now) continue
    expectReport(state, instance, until)
    awaited ||= withCaller && instance !== op.instance
  }
  if (cut) expectReport(state, op.instance, now + keptMs)
  if (op.own !== undefined) takeOver(state, op.instance, op.own, now)

  for (const [instance, until] of Object.entries(state.apart)) {
    if (until <= now) delete state.apart[instance]
    else keepSlots(state, instance, until)
  }
  if (awaited && state.awaitedUntil <= 0) {
    state.frozenBefore = state.frozenUntil
    state.awaitedUntil = now + keptMs
    state.frozenUntil = Math.max(state.frozenUntil, state.awaitedUntil)
  }
  if (state.awaitedUntil > 0 && (now >= state.awaitedUntil || Object.keys(state.apart).length === 0)) {
    if (state.frozenUntil === state.awaitedUntil) state.frozenUntil = state.frozenBefore
    state.awaitedUntil = 0
  }
}

function expectReport(state: BudgetState, instance: string, until: number): void {
  state.apart[instance] = Math.max(state.apart[instance] ?? 0, until)
}

/** An id begins with the name of its instance. */
const isOf = (id: string, instance: string): boolean => id.startsWith(`${instance}:`)

function keepSlots(state: BudgetState, instance: string, until: number): void {
  for (const slot of state.slots)
    if (slot.doneAt >= 0 && isOf(slot.id, instance)) slot.freeAt = Math.max(slot.freeAt, until)
}

/** What the instance reports takes the place of what the state knew of it. */
function takeOver(state: BudgetState, instance: string, own: readonly OwnSlot[], now: number): void {
  delete state.apart[instance]
  const ids = new Set(own.map(({ id }) => id))
  state.waiters = state.waiters.filter((waiter) => !ids.has(waiter.id))
  state.slots = state.slots.filter((slot) => !isOf(slot.id, instance))
  for (const { id, user, call, grantedMsAgo, doneMsAgo, freeMs } of own) {
    const shared = call === undefined ? {} : { call, instance }
    const doneAt = doneMsAgo < 0 ? -1 : now - doneMsAgo
    state.slots.push({ id, user, ...shared, grantedAt: now - grantedMsAgo, doneAt, freeAt: now + freeMs })
  }
}

import type { BudgetState, HeldSlot, WaitingRequest } from './BudgetState.js'
import type { BudgetRules } from './protocol.js'

const SECOND_MS = 1_000
/** Grants are at least this part of the even interval apart. The rest lets late timers catch up. */
const EVENNESS = 0.75

/** Slots that may be used at present. */
export function currentLimit(state: BudgetState, rules: BudgetRules): number {
  return rules.limit - state.lowered
}

/**
 * The earliest time at which the head of the queue can get a slot. It is certain only if it is `now` or earlier. `bursting`: the head has just
 * come, and no other request waits.
 */
export function openAt(
  state: BudgetState,
  rules: BudgetRules,
  line: readonly WaitingRequest[],
  bursting: boolean,
  now: number,
): number {
  const limit = currentLimit(state, rules)
  const frees = state.slots.map((slot) => expectedFreeAt(slot, rules, rules.windowMs, now))
  let at = Math.max(state.frozenUntil, roomAt(frees, limit))
  if (state.strict) {
    const seconds = state.slots.map((slot) => expectedFreeAt(slot, rules, SECOND_MS, now))
    at = Math.max(at, roomAt(seconds, rules.strictPerSecond))
  }
  const head = line[0]
  const mayBurst =
    bursting && state.lowered === 0 && head?.background === false && heldBy(state, head.user) < rules.burst
  return mayBurst ? at : Math.max(at, pacedAt(state, rules, limit, line.length))
}

/** Returns a function: the wait of the request at a position of the queue (0 is its head), if no request leaves or comes before it. */
export function createEstimate(
  state: BudgetState,
  rules: BudgetRules,
  line: readonly WaitingRequest[],
  now: number,
): (position: number) => number {
  const limit = currentLimit(state, rules)
  const first = Math.max(now, openAt(state, rules, line, false, now))
  const frees = state.slots.map((slot) => expectedFreeAt(slot, rules, rules.windowMs, now))
  frees.sort((a, b) => a - b)
  return (position) => {
    // Each round grants as many as there are slots, each when a slot is free and not before its turn.
    const turn = position % limit
    const rounds = Math.floor(position / limit)
    const freeAt = frees[turn - (limit - frees.length)] ?? now
    const at = Math.max(first + (turn * rules.windowMs) / limit, freeAt) + rounds * rules.windowMs
    return Math.ceil(at - now)
  }
}

/** The time at which fewer than `limit` of the given slots are left. */
function roomAt(frees: number[], limit: number): number {
  if (frees.length < limit) return 0
  frees.sort((a, b) => a - b)
  return frees[frees.length - limit] ?? 0
}

/** The time at which a slot no longer counts in a window of the given length. In flight: as if its response came now. */
function expectedFreeAt(slot: HeldSlot, rules: BudgetRules, windowMs: number, now: number): number {
  if (slot.doneAt < 0) return Math.min(slot.freeAt, now + windowMs + rules.marginMs)
  return slot.freeAt - rules.windowMs + windowMs
}

/**
 * At most `perSecond` grants in any second, evenly spaced, so that a new request waits only briefly. If more requests wait than there are
 * slots left, as after a burst, these slots are spread until the first slot is free again.
 */
function pacedAt(state: BudgetState, rules: BudgetRules, limit: number, waiting: number): number {
  const grants = state.slots.map((slot) => slot.grantedAt)
  grants.sort((a, b) => b - a)
  const latest = grants[0]
  if (latest === undefined) return 0
  let apartMs = Math.floor((EVENNESS * rules.windowMs) / limit)
  const left = limit - grants.length
  if (left > 0 && waiting > left) {
    // A slot in flight counts as if it had been answered at once.
    const frees = state.slots.map((slot) => (slot.doneAt < 0 ? slot.grantedAt + rules.windowMs : slot.freeAt))
    apartMs = Math.max(apartMs, Math.floor((Math.min(...frees) - latest) / (left + 1)))
  }
  const nth = grants[rules.perSecond - 1]
  return Math.max(latest + apartMs, nth === undefined ? 0 : nth + SECOND_MS)
}

function heldBy(state: BudgetState, user: string): number {
  return state.slots.filter((slot) => slot.user === user).length
}

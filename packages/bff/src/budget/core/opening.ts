import type { BudgetState, HeldSlot, WaitingRequest } from './BudgetState.js'
import type { BudgetRules } from './protocol.js'

const SECOND_MS = 1_000
/** Grants of a queue are at least so much of the even interval apart. The rest is room for late timers to catch up. */
const EVENNESS = 0.9

/** Slots that may be used at present. */
export function currentLimit(state: BudgetState, rules: BudgetRules): number {
  return rules.limit - state.lowered
}

/** The soonest that `head` can have a slot: `now` or earlier where it can have one at once, and only then certain. */
export function openAt(
  state: BudgetState,
  rules: BudgetRules,
  head: WaitingRequest | undefined,
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
  const mayBurst =
    bursting && state.lowered === 0 && head?.background === false && heldBy(state, head.user) < rules.burst
  return mayBurst ? at : Math.max(at, pacedAt(state, rules, limit))
}

/** Tells how long the request at a position of the line (0 is its head) will wait, if nobody leaves and nobody comes before it. */
export function createEstimate(
  state: BudgetState,
  rules: BudgetRules,
  now: number,
): (position: number) => number {
  const limit = currentLimit(state, rules)
  const first = Math.max(now, openAt(state, rules, undefined, false, now))
  const frees = state.slots.map((slot) => expectedFreeAt(slot, rules, rules.windowMs, now))
  frees.sort((a, b) => a - b)
  return (position) => {
    // In each round as many are granted as there are slots, each when a slot comes free and not before its turn.
    const turn = position % limit
    const rounds = Math.floor(position / limit)
    const freeAt = frees[turn - (limit - frees.length)] ?? now
    const at = Math.max(first + (turn * rules.windowMs) / limit, freeAt) + rounds * rules.windowMs
    return Math.ceil(at - now)
  }
}

/** When fewer than `limit` of the given are left. */
function roomAt(frees: number[], limit: number): number {
  if (frees.length < limit) return 0
  frees.sort((a, b) => a - b)
  return frees[frees.length - limit] ?? 0
}

/** When a slot no longer counts in a window of the given length. In flight: if its answer came now. */
function expectedFreeAt(slot: HeldSlot, rules: BudgetRules, windowMs: number, now: number): number {
  if (slot.doneAt < 0) return Math.min(slot.freeAt, now + windowMs + rules.marginMs)
  return slot.freeAt - rules.windowMs + windowMs
}

function pacedAt(state: BudgetState, rules: BudgetRules, limit: number): number {
  const grants = state.slots.map((slot) => slot.grantedAt)
  grants.sort((a, b) => b - a)
  const latest = grants[0]
  if (latest === undefined) return 0
  const nth = grants[rules.perSecond - 1]
  const evenly = latest + Math.floor((EVENNESS * rules.windowMs) / limit)
  return nth === undefined ? evenly : Math.max(evenly, nth + SECOND_MS)
}

function heldBy(state: BudgetState, user: string): number {
  return state.slots.filter((slot) => slot.user === user).length
}

import { type BudgetState, isOfInstance, type QueuedRequest } from './BudgetState.js'
import type { Turn } from './Turn.js'
import { LATE_MS } from './noticeApart.js'
import type { BudgetRules } from '../protocol.js'
import { sortNumbers } from './tables.js'

export const SECOND_MS = 1_000
/** Grants are at least this part of the even interval apart. The rest lets late timers catch up. */
const EVENNESS = 0.75

/**
 * The last reply to an instance may have come so long before its next call was due: a heartbeat, and calls
 * that have not failed yet.
 */
const LONGEST_SILENCE_MS = 4_000

/** Slots that may be used at present. At least one, however many are kept back. */
function currentLimit(turn: Turn): number {
  const { state, rules } = turn
  return Math.max(1, rules.limit - state.lowered - keptBack(turn))
}

/**
 * Slots that no instance is given, because another one may be using them without the state: its share, beyond
 * the slots that are known. One that has only just become late uses known slots alone, until a window after
 * its last reply.
 */
function keptBack(turn: Turn): number {
  const { state, rules, op, now } = turn
  let slots = 0
  for (const instance in state.apart) {
    const lateMs = now - (state.dueAt[instance] ?? 0)
    const isJustLate = lateMs > LATE_MS && lateMs < justLateMs(rules)
    if (instance !== op.instance && !isJustLate) {
      const known = state.slots.filter((slot) => isOfInstance(slot.id, instance)).length
      slots += Math.max(0, shareOf(rules.limit, state) - known)
    }
  }
  return slots
}

/** An instance that is late for so long is not only just late. */
export function justLateMs(rules: BudgetRules): number {
  return Math.max(LATE_MS, rules.windowMs + rules.graceMs - LONGEST_SILENCE_MS)
}

function shareOf(whole: number, state: BudgetState): number {
  return Math.max(1, Math.floor(whole / Math.max(1, countInstances(state))))
}

/** Instances that called within the last minute. */
export function countInstances(state: BudgetState): number {
  let count = 0
  for (const _instance in state.dueAt) count += 1
  return count
}

/**
 * The earliest time at which the head of the queue can get a slot. It is certain only if it is `now` or
 * earlier. `bursting`: the head has just come, and no other request waits.
 */
export function openAt(turn: Turn, queue: readonly QueuedRequest[], bursting: boolean): number {
  const { state, rules } = turn
  const limit = currentLimit(turn)
  const frees = expectedFrees(turn, rules.windowMs)
  let at = Math.max(state.frozenUntil, roomAt(frees, limit))
  if (state.strict) {
    at = Math.max(at, roomAt(expectedFrees(turn, SECOND_MS), strictLimit(turn)))
  }
  const head = queue[0]
  const mayBurst =
    bursting && state.lowered === 0 && head?.background === false && heldBy(state, head.user) < rules.burst
  return mayBurst ? at : Math.max(at, pacedAt(turn, limit, queue.length))
}

/**
 * In strict mode: slots in any second. Each other instance that may be working without the state has its
 * share of them.
 */
function strictLimit(turn: Turn): number {
  const { state, rules, op } = turn
  let apart = 0
  for (const instance in state.apart) if (instance !== op.instance) apart += 1
  return Math.max(1, rules.strictPerSecond - apart * shareOf(rules.strictPerSecond, state))
}

export interface Forecast {
  /** The earliest time at which any request can get a slot. */
  readonly opensAt: number
  /**
   * The wait of the request at a position of the queue (0 is its head), if no request leaves or comes before
   * it.
   */
  readonly waitMs: (position: number) => number
}

export function createForecast(turn: Turn, queue: readonly QueuedRequest[]): Forecast {
  const { rules, now } = turn
  const limit = currentLimit(turn)
  const opensAt = Math.max(now, openAt(turn, queue, false))
  const frees = expectedFrees(turn, rules.windowMs)
  return {
    opensAt,
    waitMs: (position) => {
      // Each round grants as many as there are slots, each when a slot is free and not before its turn.
      const place = position % limit
      const rounds = Math.floor(position / limit)
      const freeAt = frees[place - (limit - frees.length)] ?? now
      const at = Math.max(opensAt + (place * rules.windowMs) / limit, freeAt) + rounds * rules.windowMs
      return Math.ceil(at - now)
    },
  }
}

/** The time at which fewer than `limit` of the given slots are left. */
function roomAt(frees: readonly number[], limit: number): number {
  return frees[frees.length - limit] ?? 0
}

/**
 * When each slot no longer counts in a window of the given length, earliest first. In flight: as if its
 * response came now.
 */
function expectedFrees(turn: Turn, windowMs: number): number[] {
  const { state, rules, now } = turn
  const frees = state.slots.map((slot) =>
    slot.doneAt < 0
      ? Math.min(slot.freeAt, now + windowMs + rules.marginMs)
      : slot.freeAt - rules.windowMs + windowMs,
  )
  sortNumbers(frees)
  return frees
}

/**
 * At most `perSecond` grants in any second, evenly spaced, so that a new request waits only briefly. If more
 * requests wait than there are slots left, as after a burst, these slots are spread until the first slot is
 * free again.
 */
function pacedAt(turn: Turn, limit: number, waiting: number): number {
  const { state, rules } = turn
  const grants = state.slots.map((slot) => slot.grantedAt)
  sortNumbers(grants)
  const latest = grants[grants.length - 1]
  if (latest === undefined) return 0
  let apartMs = Math.floor((EVENNESS * rules.windowMs) / limit)
  const left = limit - grants.length
  if (left > 0 && waiting > left) {
    // A slot in flight counts as if it had been answered at once.
    let soonestFree = Infinity
    for (const slot of state.slots)
      soonestFree = Math.min(soonestFree, slot.doneAt < 0 ? slot.grantedAt + rules.windowMs : slot.freeAt)
    apartMs = Math.max(apartMs, Math.floor((soonestFree - latest) / (left + 1)))
  }
  const nth = grants[grants.length - rules.perSecond]
  return Math.max(latest + apartMs, nth === undefined ? 0 : nth + SECOND_MS)
}

function heldBy(state: BudgetState, user: string): number {
  return state.slots.filter((slot) => slot.user === user).length
}

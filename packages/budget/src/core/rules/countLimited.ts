import type { BudgetAction, BudgetRules } from '../protocol.js'
import type { Turn } from './Turn.js'
import { SECOND_MS } from './opening.js'

const FIRST_FREEZE_MS = 1_000
const LONGEST_FREEZE_MS = 5_000
/** A longer Retry-After is cut to this. */
export const LONGEST_RETRY_AFTER_MS = 60_000
const JITTER = 0.25
/** After a 429 one slot of so many is given up, and half as many come back after each 30 s without a 429. */
const GIVEN_UP_OF = 12.5
/** One slot of so many is always left. */
const LEFT_OF = 5
const CLEAN_MS = 30_000
/** After this many 429s that a limit for single seconds would explain, strict mode begins. */
const SUSPICIONS = 2

/*
 * After a 429. Our own requests never exceed the limit, so there are two possible causes: another program
 * uses the same account (foreign use), or the upstream also counts single seconds. If more than `perSecond`
 * of our own requests were in the last second, the second cause is suspected; the second time strict mode
 * begins.
 */
export function countLimited(turn: Turn, action: Extract<BudgetAction, { type: 'limited' }>): void {
  const { state, rules, now, notices } = turn
  const retryAfterMs = Math.min(action.retryAfterMs ?? -1, LONGEST_RETRY_AFTER_MS)
  const slot = state.slots.find((held) => held.id === action.id)
  // Several 429s of one time are one incident, also if they come late.
  if (now < state.frozenUntil || (slot !== undefined && slot.grantedAt <= state.limitedAt)) {
    state.frozenUntil = Math.max(state.frozenUntil, now + retryAfterMs)
    return
  }

  state.limitedInRow = state.limitedAt >= 0 && now - state.limitedAt < CLEAN_MS ? state.limitedInRow + 1 : 1
  state.limitedAt = now
  const backoffMs = Math.min(FIRST_FREEZE_MS * 2 ** (state.limitedInRow - 1), LONGEST_FREEZE_MS)
  const frozenMs = retryAfterMs >= 0 ? retryAfterMs : Math.floor(backoffMs * (1 + JITTER * action.jitter))
  state.frozenUntil = now + frozenMs

  const used = state.slots.length
  const lately = state.slots.filter((held) => held.doneAt < 0 || held.doneAt > now - SECOND_MS).length
  let reason: 'foreign-use' | 'single-seconds' | 'strict' = 'foreign-use'
  if (!state.strict && lately > rules.perSecond) {
    state.secondsSuspected += 1
    reason = state.secondsSuspected < SUSPICIONS ? 'single-seconds' : 'strict'
  }
  if (reason === 'foreign-use') state.foreignUse += 1
  if (reason === 'strict') {
    // Slots were given up before for this reason.
    state.strict = true
    state.lowered = 0
  } else {
    const most = rules.limit - fewestSlots(rules)
    state.lowered = Math.max(state.lowered, Math.min(state.lowered + givenUp(rules), most))
    state.loweredAt = now
  }
  notices.push({ type: 'budget.limit', reason, limit: rules.limit - state.lowered, used, frozenMs })
}

/** Slots that are in use however many 429s come. */
export function fewestSlots(rules: BudgetRules): number {
  return Math.max(1, Math.floor(rules.limit / LEFT_OF))
}

function givenUp(rules: BudgetRules): number {
  return Math.ceil(rules.limit / GIVEN_UP_OF)
}

/** Slots back for each clean period since the last 429. */
export function recover(turn: Turn): void {
  const { state, rules, now, notices } = turn
  if (state.lowered === 0) return
  while (state.lowered > 0 && now - state.loweredAt >= CLEAN_MS) {
    state.lowered -= Math.min(state.lowered, Math.ceil(givenUp(rules) / 2))
    state.loweredAt += CLEAN_MS
  }
  if (state.lowered > 0) return
  const { limit } = rules
  notices.push({ type: 'budget.limit', reason: 'recovered', limit, used: state.slots.length, frozenMs: 0 })
}

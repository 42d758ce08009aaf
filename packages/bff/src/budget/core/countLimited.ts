import type { BudgetState } from './BudgetState.js'
import type { BudgetAction, BudgetNotice, BudgetRules } from './protocol.js'

const SECOND_MS = 1_000
const FIRST_FREEZE_MS = 1_000
const LONGEST_FREEZE_MS = 5_000
/** A Retry-After beyond this is not believed. */
const LONGEST_RETRY_AFTER_MS = 60_000
const JITTER = 0.25
/** A 429 costs so many slots, and never more than leave this many; one comes back for each clean 30 s. */
const STEP = 2
const FEWEST_SLOTS = 5
const CLEAN_MS = 30_000
/** So many 429s that a limit for single seconds would explain are the proof of it. */
const SUSPICIONS = 2

/*
 * After a 429. Our own log never holds more than the limit, so one of two things is true: another program spends from the same account
 * (foreign use), or the upstream counts single seconds too. More than `perSecond` of our own within the last second speaks for the
 * latter; the second time it is believed.
 */
export function countLimited(
  state: BudgetState,
  rules: BudgetRules,
  action: Extract<BudgetAction, { type: 'limited' }>,
  now: number,
): BudgetNotice[] {
  const retryAfterMs = Math.min(action.retryAfterMs ?? -1, LONGEST_RETRY_AFTER_MS)
  const slot = state.slots.find((held) => held.id === action.id)
  // Several 429s of one time are one incident, also if they come late.
  if (now < state.frozenUntil || (slot !== undefined && slot.grantedAt <= state.limitedAt)) {
    state.frozenUntil = Math.max(state.frozenUntil, now + retryAfterMs)
    return []
  }

  state.limitedInRow = state.limitedAt >= 0 && now - state.limitedAt < CLEAN_MS ? state.limitedInRow + 1 : 1
  state.limitedAt = now
  const backoffMs = Math.min(FIRST_FREEZE_MS * 2 ** (state.limitedInRow - 1), LONGEST_FREEZE_MS)
  const frozenMs = retryAfterMs >= 0 ? retryAfterMs : Math.floor(backoffMs * (1 + JITTER * action.jitter))
  state.frozenUntil = now + frozenMs

  const notices: BudgetNotice[] = []
  const used = state.slots.length
  const lately = state.slots.filter((held) => held.doneAt < 0 || held.doneAt > now - SECOND_MS).length
  const suspected = !state.strict && lately > rules.perSecond
  if (suspected) state.secondsSuspected += 1
  if (suspected && state.secondsSuspected >= SUSPICIONS) {
    // What was given up before was given up for this reason.
    state.strict = true
    state.lowered = 0
    notices.push({ type: 'strict' })
  } else {
    state.lowered = Math.max(state.lowered, Math.min(state.lowered + STEP, rules.limit - FEWEST_SLOTS))
    state.loweredAt = now
    if (!suspected) {
      state.foreignUse += 1
      notices.push({ type: 'foreign-use', used })
    }
  }
  notices.push({ type: 'frozen', frozenMs, limit: rules.limit - state.lowered, used })
  return notices
}

/** One slot back for each clean period since the last 429. */
export function recover(state: BudgetState, rules: BudgetRules, now: number): BudgetNotice[] {
  if (state.lowered === 0) return []
  while (state.lowered > 0 && now - state.loweredAt >= CLEAN_MS) {
    state.lowered -= 1
    state.loweredAt += CLEAN_MS
  }
  return state.lowered === 0 ? [{ type: 'recovered', limit: rules.limit }] : []
}

import { APPLY_OP } from './lua/applyOp.js'
import { BUDGET_STATE } from './lua/budgetState.js'
import { COUNT_LIMITED } from './lua/countLimited.js'
import { FAIR_ORDER } from './lua/fairOrder.js'
import { OPENING } from './lua/opening.js'

/*
 * The rules of `core/`, once more, where all instances can share them: Lua runs in Redis and Valkey as one step. Files and functions have
 * the names of `core/`; `scriptAndCore.test.ts` holds the two together on random calls, so a change belongs into both.
 *
 * KEYS[1] is the account's state, one JSON value. ARGV[1] holds the rules, ARGV[2] the call, ARGV[3] how long the state is kept.
 */

/** Redis 7 freezes its clock for the run of a script, and every instance is judged by this one. */
export const STORE_CLOCK = /* lua */ `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

export const BUDGET_SCRIPT: string = [
  STORE_CLOCK,
  BUDGET_STATE,
  FAIR_ORDER,
  OPENING,
  COUNT_LIMITED,
  APPLY_OP,
].join('')

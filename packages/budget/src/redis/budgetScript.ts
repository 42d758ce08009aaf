import { LUA } from './luaSources.js'

/*
 * The rules of `core/`, once more, where all instances can share them: Lua runs in Redis and Valkey as one step. Files and functions have
 * the names of `core/`; `scriptAndCore.test.ts` holds the two together on random calls, so a change belongs into both.
 */

/** The first part of the script. Tests put a clock of their own in its place. */
export const STORE_CLOCK: string = LUA.storeClock

export const BUDGET_SCRIPT: string = [
  STORE_CLOCK,
  LUA.budgetState,
  LUA.readState,
  LUA.fairOrder,
  LUA.sharedCalls,
  LUA.opening,
  LUA.countLimited,
  LUA.steadyTimes,
  LUA.replyOf,
  LUA.noticeApart,
  LUA.admit,
  LUA.applyOp,
].join('')

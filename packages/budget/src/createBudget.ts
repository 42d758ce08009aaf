import { type BudgetOptions, readBudgetOptions } from './BudgetOptions.js'
import { createStore } from './redis/createStore.js'
import { createTurns } from './turns/createTurns.js'
import { TURNS } from './turns/turnsScript.js'
import type { Budget } from './waiting/Budget.js'
import { createWaitingBudget } from './waiting/createWaitingBudget.js'

/**
 * Creates a budget for this process or, with the option `redis`, one budget for all instances of an account.
 * Throws a `TypeError` or `RangeError` with a remedy if an option is not valid.
 */
export function createBudget(options: BudgetOptions): Budget {
  const { account, rules, random, clock, emit, ...bounds } = readBudgetOptions(options)
  const store = createStore(options.redis, account, clock, TURNS)
  const turns = createTurns({ store, rules, clock, random, emit })
  return createWaitingBudget({ turns, rules, ...bounds, clock, emit })
}

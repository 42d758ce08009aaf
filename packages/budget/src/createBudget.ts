import { type BudgetOptions, budgetRules, readAccount } from './BudgetOptions.js'
import { type Clock, systemClock } from './core/Clock.js'
import type { BudgetEvent } from './core/events.js'
import { createTurns } from './turns/createTurns.js'
import { createMemoryStore, createRedisStore } from './turns/stores.js'
import type { Budget } from './waiting/Budget.js'
import { createWaitingBudget } from './waiting/createWaitingBudget.js'

/** Added to the clock, so that 0 is a time long ago. */
const ORIGIN_MS = 1e9

/**
 * Creates a budget for this process or, with the option `redis`, one budget for all instances of an account.
 * Throws a `TypeError` or `RangeError` with a remedy if an option is not valid.
 */
export function createBudget(options: BudgetOptions): Budget {
  const { rules, ...bounds } = budgetRules(options)
  const { redis, clock: given = systemClock, random = Math.random } = options
  const account = readAccount(options.account)
  const clock: Clock = { now: () => given.now() + ORIGIN_MS, after: (...timer) => given.after(...timer) }
  // An error in the listener, now or later, does not affect a request.
  const listen = async (event: BudgetEvent): Promise<unknown> => options.onEvent?.(event)
  const emit = (event: BudgetEvent): void => void listen(event).catch(() => undefined)
  const store = redis === undefined ? createMemoryStore(clock) : createRedisStore(redis, account, clock)
  // Short, because it is part of each slot's name. All twelve digits are random.
  const instance = store.isShared ? crypto.randomUUID().replace('-', '').slice(0, 12) : 'memory'
  const turns = createTurns({ store, rules, instance, clock, random, emit })
  return createWaitingBudget({ turns, rules, ...bounds, clock, emit })
}

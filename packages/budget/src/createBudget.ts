import { type BudgetOptions, budgetRules, readAccount, readUserSecret } from './BudgetOptions.js'
import { systemClock } from './core/Clock.js'
import type { BudgetEvent } from './core/events.js'
import { createMemoryStore } from './core/rules/createMemoryStore.js'
import { createFallbackStore } from './redis/createFallbackStore.js'
import { createRedisStore } from './redis/createRedisStore.js'
import { redisEval } from './redis/redisClient.js'
import type { Budget } from './waiting/Budget.js'
import { createStoreBudget } from './waiting/createStoreBudget.js'
import { createUserKeys } from './waiting/createUserKeys.js'

/** The budget of one process; with the option `redis`, one budget for all instances of an account. */
export function createBudget(options: BudgetOptions): Budget {
  const { redis, instances = 4, clock = systemClock, random = Math.random } = options
  const account = readAccount(options.account)
  const userSecret = readUserSecret(options.userSecret)
  // An error in the listener, now or later, does not affect a request.
  const listen = async (event: BudgetEvent): Promise<unknown> => options.onEvent?.(event)
  const onEvent = (event: BudgetEvent): void => void listen(event).catch(() => undefined)
  const shared = budgetRules(options)
  if (!redis) {
    // No other instance changes the state: polls and heartbeats are not needed.
    const rules = { ...shared, pollMs: Infinity, heartbeatMs: Infinity }
    const store = createMemoryStore(rules, clock, 'memory')
    return createStoreBudget({ store, rules, clock, random, instance: 'memory', onEvent })
  }
  const userKey = createUserKeys(userSecret)
  // Short, because it is in each id of the state. These twelve digits are all random.
  const instance = crypto.randomUUID().replace('-', '').slice(0, 12)
  const run = redisEval(redis)
  const remote = createRedisStore({ run, account, instance, rules: shared, clock })
  const store = createFallbackStore({ remote, rules: shared, clock, instances, onEvent })
  return createStoreBudget({ store, rules: shared, clock, random, instance, userKey, onEvent })
}

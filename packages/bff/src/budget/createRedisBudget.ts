import { randomBytes } from 'node:crypto'
import type { Budget } from './Budget.js'
import { type BudgetOptions, budgetRules } from './BudgetOptions.js'
import { systemClock } from './core/Clock.js'
import { createListener } from './createListener.js'
import { createStoreBudget } from './createStoreBudget.js'
import { createFallbackStore } from './redis/createFallbackStore.js'
import { createRedisStore } from './redis/createRedisStore.js'
import type { RedisEval } from './redis/redisClient.js'

export interface RedisBudgetOptions extends BudgetOptions {
  /** Runs a Lua script in Redis or Valkey; `redisEval(client)` makes it of a client. */
  readonly eval: RedisEval
  /** Name of the upstream account. All instances that use it must have the same. Letters, digits and `.:_-`, at most 64. */
  readonly account: string
  /** Number of instances to assume until Redis has answered once. Default 4. */
  readonly instances?: number | undefined
}

/** One budget for all instances of an account. */
export function createRedisBudget(options: RedisBudgetOptions): Budget {
  if (!/^[\w.:-]{1,64}$/.test(options.account)) {
    throw new TypeError(
      'Failed to create the meetings budget: the account is not a plain name. Give letters, digits and ".:_-", at most 64.',
    )
  }
  const clock = options.clock ?? systemClock
  const rules = budgetRules(options)
  const instance = randomBytes(9).toString('base64url')
  const onEvent = createListener(options.onEvent)
  const remote = createRedisStore({ run: options.eval, account: options.account, instance, rules, clock })
  const store = createFallbackStore({ remote, rules, clock, instances: options.instances ?? 4, onEvent })
  return createStoreBudget({
    store,
    rules,
    clock,
    random: options.random ?? Math.random,
    instance,
    sendHeartbeats: true,
    onEvent,
  })
}

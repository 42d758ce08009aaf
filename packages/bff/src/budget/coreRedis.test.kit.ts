import { applyOp } from './core/applyOp.js'
import type { BudgetState } from './core/BudgetState.js'
import type { BudgetOp, BudgetRules } from './core/protocol.js'
import type { RedisEval } from './redis/redisClient.js'
import type { VirtualClock } from './core/virtualClock.test.kit.js'

/** Redis as the budget sees it, by the rules of `core/`, and as unreliable as a test wants it. */
export interface CoreRedis {
  readonly eval: RedisEval
  /** `refusing` fails every call at once, `silent` never answers. */
  behaves: 'well' | 'refusing' | 'silent'
  /** What it holds; a test may take it away or put an old one back. */
  state: BudgetState | undefined
}

export function createCoreRedis(clock: VirtualClock): CoreRedis {
  const redis: CoreRedis = {
    behaves: 'well',
    state: undefined,
    async eval(_script, _keys, [rulesJson = '', opJson = '']) {
      if (redis.behaves === 'refusing') throw new Error('connect ECONNREFUSED')
      if (redis.behaves === 'silent') return new Promise(() => undefined)
      const rules = JSON.parse(rulesJson) as BudgetRules
      const applied = applyOp(redis.state, rules, JSON.parse(opJson) as BudgetOp, Math.floor(clock.now()))
      redis.state = applied.state
      return JSON.stringify(applied.reply)
    },
  }
  return redis
}

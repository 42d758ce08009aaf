import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'
import { ACCOUNT } from './account.test.kit.js'
import type { BudgetOptions } from './BudgetOptions.js'
import type { BudgetEvent } from './core/events.js'
import { createBudget } from './createBudget.js'
import type { RedisEval } from './redis/redisClient.js'
import { applyTurnsCall, type Call, newState } from './turns/applyTurnsCall.js'
import { listOf } from './turns/listOf.test.kit.js'
import type { Budget, Slot } from './waiting/Budget.js'

/** A fake Redis with the rules of `applyTurnsCall`. A test can make it unreliable. */
interface RulesRedis {
  /**
   * `refusing` fails every call at once, `denying` replies with an error, `silent` never replies, `patchy` does
   * not reply to every third call.
   */
  behaves: 'well' | 'refusing' | 'denying' | 'silent' | 'patchy'
  /** Calls so far. */
  calls: number
  /** Its state. A test may delete it or restore an old one. */
  state: ReturnType<typeof newState>
}

/** Instances of one account that use this Redis. */
export interface Instances {
  readonly clock: VirtualClock
  readonly redis: RulesRedis
  readonly events: BudgetEvent[]
  /** All grants, in order. */
  readonly grants: { readonly user: string; readonly at: number }[]
  join(options?: Partial<BudgetOptions>): Budget
  /** From now on no call of this instance reaches Redis. */
  kill(budget: Budget): void
  revive(budget: Budget): void
  /** Asks for slots, and answers each granted request after 20 ms. Returns the times of these grants. */
  ask(budget: Budget, user: string, count?: number): number[]
  /** Twelve requests of this user are always in progress. */
  keepAsking(budget: Budget, user: string): void
  /** Takes slots that stay in use. */
  hold(budget: Budget, user: string, count: number): Promise<Slot[]>
}

export function setUpInstances(): Instances {
  const clock = virtualClock(0)
  const redis: RulesRedis = { behaves: 'well', calls: 0, state: newState() }
  const events: BudgetEvent[] = []
  const grants: { user: string; at: number }[] = []
  const dead = new Set<Budget>()
  const never = new Promise<never>(() => undefined)

  /** Calls at the present moment. */
  let busy = { at: -1, calls: 0 }

  const run: RedisEval = async (_script, _keys, [json = '']) => {
    if (redis.behaves === 'refusing') throw new Error('connect ECONNREFUSED')
    if (redis.behaves === 'denying')
      throw new Error("NOPERM User x has no permissions to run the 'eval' command")
    redis.calls += 1
    busy = { at: clock.now(), calls: busy.at === clock.now() ? busy.calls + 1 : 1 }
    // Calls without an end would stop the virtual time.
    if (busy.calls > 1_000) return never
    if (redis.behaves === 'silent' || (redis.behaves === 'patchy' && redis.calls % 3 === 0)) return never
    const now = Math.floor(clock.now()) + 1_700_000_000_000
    return listOf(applyTurnsCall(redis.state, JSON.parse(json) as Call, now))
  }
  const acquire = (budget: Budget, user: string): Promise<Slot> =>
    budget.acquire({ user, deadlineMs: 60_000, signal: new AbortController().signal })

  return {
    clock,
    redis,
    events,
    grants,
    join(options) {
      const own: { budget?: Budget } = {}
      const reach: RedisEval = (...call) => (own.budget && dead.has(own.budget) ? never : run(...call))
      const onEvent = (event: BudgetEvent) => void events.push(event)
      own.budget = createBudget({ ...ACCOUNT, redis: reach, clock, random: () => 0, onEvent, ...options })
      return own.budget
    },
    kill: (budget) => void dead.add(budget),
    revive: (budget) => void dead.delete(budget),
    ask(budget, user, count = 1) {
      const times: number[] = []
      const one = async (): Promise<void> => {
        const slot = await acquire(budget, user)
        grants.push({ user, at: clock.now() })
        times.push(clock.now())
        clock.after(20, () => slot.release('answered'))
      }
      for (let index = 0; index < count; index += 1) one().catch(() => undefined)
      return times
    },
    keepAsking(budget, user) {
      const again = (): void => {
        const later = (): void => void clock.after(100, again)
        acquire(budget, user).then((slot) => {
          grants.push({ user, at: clock.now() })
          clock.after(20, () => slot.release('answered'))
          later()
        }, later)
      }
      for (let index = 0; index < 12; index += 1) again()
    },
    hold: (budget, user, count) => Promise.all(Array.from({ length: count }, () => acquire(budget, user))),
  }
}

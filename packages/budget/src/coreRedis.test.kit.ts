import { ACCOUNT } from './account.test.kit.js'
import type { Budget, Slot } from './waiting/Budget.js'
import type { BudgetOptions } from './BudgetOptions.js'
import { createBudget } from './createBudget.js'
import { applyOp } from './core/rules/applyOp.js'
import type { BudgetState } from './core/rules/BudgetState.js'
import type { BudgetEvent } from './core/events.js'
import type { BudgetOp, BudgetRules } from './core/protocol.js'
import { readState } from './core/rules/readState.js'
import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'
import type { RedisEval } from './redis/redisClient.js'

/** Redis as the budget sees it, by the rules of `core/`, and as unreliable as a test wants it. */
interface CoreRedis {
  readonly eval: RedisEval
  /**
   * `refusing` fails every call at once, `silent` never replies, `patchy` does not reply to every third call.
   * `late` keeps the calls until it is well, as clients do that find no master.
   */
  behaves: 'well' | 'refusing' | 'silent' | 'patchy' | 'late'
  /** Calls so far. */
  calls: number
  /** What it holds; a test may take it away or put an old one back. */
  state: BudgetState | undefined
  /** What somebody else has put in its place: the next call finds this. */
  found: unknown
  /** Ahead of the clock of the test. */
  clockAheadMs: number
}

function createCoreRedis(clock: VirtualClock): CoreRedis {
  let behaves: CoreRedis['behaves'] = 'well'
  const kept: (() => void)[] = []
  const redis: CoreRedis = {
    get behaves() {
      return behaves
    },
    set behaves(next) {
      behaves = next
      if (next === 'well') for (const arrive of kept.splice(0)) arrive()
    },
    calls: 0,
    state: undefined,
    found: undefined,
    clockAheadMs: 1_700_000_000_000,
    async eval(_script, _keys, [rulesJson = '', opJson = '']) {
      if (behaves === 'refusing') throw new Error('connect ECONNREFUSED')
      if (behaves === 'late') await new Promise<void>((resolve) => kept.push(resolve))
      redis.calls += 1
      if (behaves === 'silent' || (behaves === 'patchy' && redis.calls % 3 === 0))
        return new Promise(() => undefined)
      const rules = JSON.parse(rulesJson) as BudgetRules
      const previous = redis.found === undefined ? redis.state : readState(redis.found)
      redis.found = undefined
      const now = Math.floor(clock.now()) + redis.clockAheadMs
      const applied = applyOp(previous, rules, JSON.parse(opJson) as BudgetOp, now)
      redis.state = applied.state
      return JSON.stringify(applied.reply)
    },
  }
  return redis
}

/** Instances of one account over such a Redis. */
export interface Instances {
  readonly clock: VirtualClock
  readonly redis: CoreRedis
  readonly events: BudgetEvent[]
  /** All grants, in order. */
  readonly grants: { readonly user: string; readonly at: number }[]
  join(options?: Partial<BudgetOptions>): Budget
  /** From now on nothing of it reaches Redis. */
  kill(budget: Budget): void
  /** The next report of its own slots is run; the reply and all that follows is lost, as after `kill`. */
  loseReport(budget: Budget): void
  /** Ends both. */
  revive(budget: Budget): void
  /** Asks, and answers each granted request after 20 ms. Returns the times of these grants. */
  ask(budget: Budget, user: string, count?: number): number[]
  /**
   * Has twelve requests of the user wait at any time, until `leave`. Each is answered after `answerMs`, 20
   * unless told.
   */
  keepAsking(budget: Budget, user: string, answerMs?: number): void
  leave(user: string): void
  /** Slots that stay in flight. */
  hold(budget: Budget, user: string, count: number): Promise<Slot[]>
}

export function setUpInstances(): Instances {
  const clock = virtualClock(0)
  const redis = createCoreRedis(clock)
  const events: BudgetEvent[] = []
  const grants: { user: string; at: number }[] = []
  const dead = new Set<Budget>()
  const losingReport = new Set<Budget>()
  const left = new Set<string>()
  const acquire = (budget: Budget, user: string): Promise<Slot> =>
    budget.acquire({ user, deadlineMs: 60_000, signal: new AbortController().signal })
  return {
    clock,
    redis,
    events,
    grants,
    join(options) {
      let isDead = (): boolean => false
      let losesReport = (): boolean => false
      const run: RedisEval = async (...call) => {
        if (isDead()) return new Promise(() => undefined)
        const reply = await redis.eval(...call)
        if (!losesReport() || (JSON.parse(call[2][1] ?? '') as BudgetOp).own === undefined) return reply
        dead.add(budget)
        return new Promise(() => undefined)
      }
      const onEvent = (event: BudgetEvent) => void events.push(event)
      const budget = createBudget({ ...ACCOUNT, redis: run, clock, random: () => 0, onEvent, ...options })
      isDead = () => dead.has(budget)
      losesReport = () => losingReport.has(budget)
      return budget
    },
    kill: (budget) => void dead.add(budget),
    loseReport: (budget) => void losingReport.add(budget),
    revive(budget) {
      dead.delete(budget)
      losingReport.delete(budget)
    },
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
    keepAsking(budget, user, answerMs = 20) {
      const again = (): void => {
        if (left.has(user)) return
        const later = (): void => void clock.after(100, again)
        acquire(budget, user).then((slot) => {
          grants.push({ user, at: clock.now() })
          clock.after(answerMs, () => slot.release('answered'))
          later()
        }, later)
      }
      for (let index = 0; index < 12; index += 1) again()
    },
    leave: (user) => void left.add(user),
    hold: (budget, user, count) => Promise.all(Array.from({ length: count }, () => acquire(budget, user))),
  }
}

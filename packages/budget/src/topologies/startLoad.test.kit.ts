import { setMaxListeners } from 'node:events'
import { createEmulator } from '@stagepass/emulator'
import { ACCOUNT } from '../account.test.kit.js'
import { createBudget } from '../createBudget.js'
import type { BudgetEvent } from '../core/events.js'
import type { RedisClient, RedisEval } from '../redis/redisClient.js'

/** Several instances of one account that want more than the limit, and an upstream that counts strictly. */
export interface Load extends AsyncDisposable {
  readonly events: readonly (BudgetEvent & { readonly instance: number })[]
  /** Requests that the upstream refused with 429. */
  limited(): number
  /** Resolves once this many more requests have got a 200. */
  more(count: number): Promise<void>
  /**
   * The longest time between two responses since the last call of this function, and the number of responses
   * since then.
   */
  pause(): { readonly pauseMs: number; readonly answers: number; readonly lastedMs: number }
  /** The instances that have sent a request since `at`. */
  served(since: number): number[]
  /** Resolves once all instances share one budget. */
  shared(): Promise<void>
}

/** Requests that wait in each instance. */
const WAITING = 8

export async function startLoad(clients: readonly (RedisClient | RedisEval)[]): Promise<Load> {
  const upstream = await createEmulator({ limiter: 'sliding', latency: { ms: 10, jitterMs: 20 } })
  const events: (BudgetEvent & { instance: number })[] = []
  const answers: { at: number; instance: number }[] = []
  let limited = 0
  let since = performance.now()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal)
  const budgets = clients.map((redis, instance) =>
    createBudget({ ...ACCOUNT, redis, onEvent: (event) => void events.push({ ...event, instance }) }),
  )

  const ask = async (instance: number, user: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const slot = await budgets[instance]?.acquire({ user, deadlineMs: 10_000, signal: stopping.signal })
        const response = await fetch(`${upstream.meetingsUrl}/meetings`, {
          headers: { authorization: `Bearer ${upstream.meetingsCredential}` },
        })
        await response.arrayBuffer()
        slot?.release('answered')
        if (response.status === 429) limited += 1
        else if (response.ok) answers.push({ at: performance.now(), instance })
        else throw new Error(`The upstream answered ${response.status}.`)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
  const users = clients.flatMap((_, instance) =>
    Array.from({ length: WAITING }, (_each, index) => ask(instance, `user ${index % 3}`)),
  )

  const wait = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50))
  }

  return {
    events,
    limited: () => limited,
    more(count) {
      const goal = answers.length + count
      return wait(() => answers.length >= goal)
    },
    pause() {
      const from = since
      const now = performance.now()
      since = now
      const times = [from, ...answers.map(({ at }) => at).filter((at) => at > from), now]
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at))
      return {
        pauseMs: Math.round(Math.max(...gaps)),
        answers: times.length - 2,
        lastedMs: Math.round(now - from),
      }
    },
    served: (at) => [...new Set(answers.filter((answer) => answer.at > at).map((answer) => answer.instance))],
    shared: () => wait(() => budgets.every((budget) => budget.degraded() === undefined)),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(users)
      await Promise.all(budgets.map((budget) => budget.close().catch(() => undefined)))
      await upstream.close()
    },
  }
}

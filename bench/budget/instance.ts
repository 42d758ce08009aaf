import { setMaxListeners } from 'node:events'
import { setTimeout as passed } from 'node:timers/promises'
import { BudgetRefusal, createBudget } from '@stagepass/budget'
import { createClient } from 'redis'
import { Agent, request } from 'undici'

/* One process of the benchmark: its part of the greedy user's requests, and its part of the light users. */

export interface InstanceSettings {
  /** Path of the socket of Redis. */
  readonly redis: string
  readonly meetingsUrl: string
  readonly credential: string
  readonly isStrict: boolean
  readonly seconds: number
  /** Requests of the greedy user that wait in this process at any time. */
  readonly greedyRequests: number
  readonly lightUsers: readonly string[]
}

const settings = JSON.parse(process.argv[2] ?? '') as InstanceSettings
const redis = await createClient({
  socket: { path: settings.redis, tls: false },
  disableOfflineQueue: true,
}).connect()
const agent = new Agent({ connections: 64 })
const budget = createBudget({
  ...(settings.isStrict ? { limit: 5, windowMs: 1_000 } : { limit: 25, windowMs: 5_000 }),
  redis,
  account: 'bench',
  maxWaiting: 400,
  maxWaitingPerUser: 300,
})
const stopping = new AbortController()
setMaxListeners(0, stopping.signal)
/** Waits of the light users, in milliseconds. */
const waits: number[] = []
let calls = 0

async function readOnce(user: string): Promise<number> {
  const askedAt = performance.now()
  const slot = await budget.acquire({ user, deadlineMs: 300_000, signal: stopping.signal })
  const waitMs = performance.now() - askedAt
  calls += 1
  try {
    const answer = await request(`${settings.meetingsUrl}/meetings?q=${process.pid}.${calls}`, {
      headers: { authorization: `Bearer ${settings.credential}` },
      dispatcher: agent,
    })
    await answer.body.dump()
    if (answer.statusCode === 429) budget.rateLimited(undefined, slot)
  } finally {
    slot.release('answered')
  }
  return waitMs
}

async function keepReading(
  user: string,
  pauseMs: () => number,
  seen?: (waitMs: number) => void,
): Promise<void> {
  while (!stopping.signal.aborted) {
    try {
      await passed(pauseMs())
      const waitMs = await readOnce(user)
      seen?.(waitMs)
    } catch (error) {
      if (error instanceof BudgetRefusal) await passed(error.retryAfterMs)
    }
  }
}

process.once('message', () => {
  for (let index = 0; index < settings.greedyRequests; index += 1) void keepReading('greedy', () => 0)
  for (const user of settings.lightUsers)
    void keepReading(
      user,
      () => 2_000 + Math.random() * 4_000,
      (waitMs) => waits.push(waitMs),
    )
  setTimeout(() => {
    stopping.abort()
    process.send?.(waits, () => process.exit(0))
  }, settings.seconds * 1_000)
})
process.send?.('ready')

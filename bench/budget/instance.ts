import { BudgetRefusal, createBudget } from '@stagepass/budget'
import { setMaxListeners } from 'node:events'
import { Agent, request } from 'undici'
import { connectRedis } from './connectRedis.js'
import type { InstanceReport, InstanceSettings } from './vocabulary.js'

/* One process of the benchmark: its part of the greedy user's requests, and its part of the light users. */

const settings = JSON.parse(process.argv[2] ?? '') as InstanceSettings
const redis = await connectRedis(settings.redis)
const agent = new Agent({ connections: 64 })
const events: Record<string, number> = {}

const budget = createBudget({
  ...(settings.strict ? { limit: 5, windowMs: 1_000 } : { limit: 25, windowMs: 5_000 }),
  redis,
  account: 'bench',
  maxWaiting: 400,
  maxWaitingPerUser: 300,
  onEvent: ({ type }) => {
    events[type] = (events[type] ?? 0) + 1
  },
})

const stopping = new AbortController()
setMaxListeners(0, stopping.signal)
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

const rest = (durationMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, durationMs))

async function keepReading(
  user: string,
  pauseMs: () => number,
  seen: (waitMs: number) => void,
): Promise<void> {
  while (!stopping.signal.aborted) {
    try {
      await rest(pauseMs())
      seen(await readOnce(user))
    } catch (error) {
      if (error instanceof BudgetRefusal) await rest(error.retryAfterMs)
    }
  }
}

process.once('message', () => {
  for (let index = 0; index < settings.greedyRequests; index += 1)
    void keepReading(
      'greedy',
      () => 0,
      () => undefined,
    )
  for (const user of settings.lightUsers)
    void keepReading(
      user,
      () => 2_000 + Math.random() * 4_000,
      (waitMs) => waits.push(waitMs),
    )
  setTimeout(() => {
    stopping.abort()
    const report: InstanceReport = { waits, events }
    process.send?.(report, () => process.exit(0))
  }, settings.seconds * 1_000)
})
process.send?.('ready')

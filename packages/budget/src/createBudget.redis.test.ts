import { createClient } from 'redis'
import { Redis } from 'ioredis'
import { startRedis, startTcpProxy } from '@stagepass/testing'
import { afterAll, expect, it, vi } from 'vitest'
import { ACCOUNT } from './account.test.kit.js'
import type { Budget } from './waiting/Budget.js'
import { type Clock, systemClock } from './core/Clock.js'
import { createBudget } from './createBudget.js'
import { type CreateBudgetUnderTest, describeBudget } from './describeBudget.test.kit.js'
import type { BudgetEvent } from './core/events.js'
import { type RedisClient, type RedisEval, redisEval } from './redis/redisClient.js'
import { STORE_CLOCK } from './redis/createStore.js'
import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'

const server = await startRedis()
const nodeRedis = await server.connect()
const ioredis = new Redis({ path: server.socketPath })
afterAll(async () => {
  ioredis.disconnect()
  await server.close()
})

let accounts = 0
const newAccount = (): string => {
  accounts += 1
  return `account-${accounts}`
}

/** The script with the test's clock instead of the store's. The test waits for its replies. */
function inVirtualTime(run: RedisEval, clock: VirtualClock): RedisEval {
  return (script, keys, args) => {
    expect(script.startsWith(STORE_CLOCK)).toBe(true)
    const rules = script.slice(STORE_CLOCK.length)
    const now = String(Math.floor(clock.now()))
    return clock.track(run(`local now = tonumber(ARGV[2])\n${rules}`, keys, [...args, now]))
  }
}

function over(run: RedisEval, instances = 1): CreateBudgetUnderTest {
  return async (options) => {
    const clock = virtualClock()
    const events: BudgetEvent[] = []
    const account = newAccount()
    const budgets = Array.from({ length: instances }, () =>
      createBudget({
        ...ACCOUNT,
        ...options,
        clock,
        account,
        redis: inVirtualTime(run, clock),
        onEvent: (event) => events.push(event),
      }),
    )
    await clock.settle()
    return {
      budget: takingTurns(budgets),
      clock,
      events,
      [Symbol.asyncDispose]: async () => {
        await Promise.all(budgets.map((budget) => budget.close()))
      },
    }
  }
}

/** Several instances behind one interface: each request goes to the next instance. */
function takingTurns(budgets: readonly Budget[]): Budget {
  let turn = 0
  const next = (): Budget => {
    turn += 1
    const budget = budgets[turn % budgets.length]
    if (budget === undefined) throw new Error('no instance')
    return budget
  }
  if (budgets.length === 1) return next()
  return {
    acquire: (request) => next().acquire(request),
    rateLimited: (retryAfterMs, slot) => next().rateLimited(retryAfterMs, slot),
    gauge: () => next().gauge(),
    degraded: () => next().degraded(),
    close: async () => {
      await Promise.all(budgets.map((budget) => budget.close()))
    },
  }
}

describeBudget('in Redis over node-redis', over(redisEval(nodeRedis)))
describeBudget('in Redis over ioredis', over(redisEval(ioredis)))

it.each([
  ['node-redis', redisEval(nodeRedis)],
  ['ioredis', redisEval(ioredis)],
])('teaches Redis the script again after it has forgotten it, over %s', async (_name, run) => {
  const script = `return ARGV[1] .. '${newAccount()}'`
  const first = await run(script, [], ['a '])
  await nodeRedis.scriptFlush()
  expect(await run(script, [], ['a '])).toBe(first)
  await expect(run('return redis.call("NO SUCH COMMAND")', [], [])).rejects.toThrow('Unknown Redis command')
})

it('S26 Redis contains no user id and no hash of one, and each of its keys has a time to live', async () => {
  const account = newAccount()
  const budget = createBudget({ ...ACCOUNT, account, redis: nodeRedis })
  await budget.acquire({ user: 'user 1042', deadlineMs: 5_000, signal: new AbortController().signal })
  const keys = await nodeRedis.keys(`*${account}*`)
  expect(keys).toHaveLength(2)
  const state = await nodeRedis.hGetAll(`stagepass:{${account}}:budget:state`)
  const slots = await nodeRedis.zRange(`stagepass:{${account}}:budget:slots`, 0, -1)
  for (const text of [...keys, ...slots, ...Object.entries(state).flat()])
    expect(text).toMatch(/^(?:[a-z]+|\d+|@?[\da-f]{12}(?:\.\d+\.\d+)?|stagepass:.*)$/i)
  for (const key of keys) expect(await nodeRedis.pTTL(key)).toBeGreaterThan(60_000)
  await budget.close()
})

it('uses the clock of Redis, whatever the clock of this process shows', async () => {
  const account = newAccount()
  const wrongClock: Clock = { ...systemClock, now: () => performance.now() + 30_000 }
  const right = createBudget({ ...ACCOUNT, account, redis: nodeRedis })
  const wrong = createBudget({ ...ACCOUNT, account, redis: ioredis, clock: wrongClock })
  const signal = new AbortController().signal
  const redisNow = async (): Promise<number> => {
    const [seconds, micros] = await nodeRedis.time()
    return Number(seconds) * 1_000 + Number(micros) / 1_000
  }
  const before = await redisNow()
  const slots = await Promise.all(
    [right, wrong, right, wrong].map((budget) => budget.acquire({ user: 'ada', deadlineMs: 5_000, signal })),
  )
  for (const slot of slots) slot.release('answered')
  await Promise.all([right.close(), wrong.close()])
  const after = await redisNow()
  const marked = await nodeRedis.zRangeWithScores(`stagepass:{${account}}:budget:slots`, 0, -1)
  const freeAts = marked.filter(({ value }) => value !== 'mark')
  expect(freeAts).toHaveLength(4)
  for (const { score } of freeAts) {
    expect(score).toBeGreaterThanOrEqual(before + 5_000)
    expect(score).toBeLessThanOrEqual(after + 5_010)
  }
})

it.each(['state', 'slots'])('takes the loss of the key %s in Redis for the loss of both', async (key) => {
  const options = { ...ACCOUNT, account: newAccount(), redis: nodeRedis }
  const busy = createBudget(options)
  await Promise.all(Array.from({ length: 10 }, () => busy.acquire({ user: 'ada' })))
  await nodeRedis.del(`stagepass:{${options.account}}:budget:${key}`)
  const fresh = createBudget(options)
  for (const budget of [fresh, busy]) {
    const slot = budget.acquire({ user: 'bob', deadlineMs: 2_500 })
    await expect(slot).rejects.toMatchObject({ reason: 'too-late' })
    expect(budget.gauge().frozenMs).toBeGreaterThan(1_000)
  }
  await Promise.all([busy.close(), fresh.close()])
})

/** Clients of a port where nothing listens, with and without the recommended options. */
const NOWHERE = { host: '127.0.0.1', port: 1 }
const unreachable = [
  ['ioredis', () => new Redis({ ...NOWHERE, retryStrategy: () => 60_000 })],
  ['ioredis that fails at once', () => new Redis({ ...NOWHERE, maxRetriesPerRequest: 1 })],
  ['node-redis', () => createClient({ socket: NOWHERE })],
  ['node-redis that fails at once', () => createClient({ socket: NOWHERE, disableOfflineQueue: true })],
] as const

it.each(unreachable)(
  'gives the part of an instance whose Redis was never there: %s',
  async (_name, create) => {
    const client = create()
    client.on('error', () => undefined)
    if ('isOpen' in client) client.connect().catch(() => undefined)
    const clock = virtualClock()
    const budget = createBudget({ ...ACCOUNT, redis: client, clock })
    const [asked, { signal }] = [clock.now(), new AbortController()]
    const waits = Promise.all(
      ['ada', 'bob'].map(async (user) => {
        const slot = await budget.acquire({ user, deadlineMs: 10_000, signal })
        slot.release('answered')
        return clock.now() - asked
      }),
    )
    await clock.advance(10_000)
    for (const waitMs of await waits) expect(waitMs).toBeLessThan(8_000)
    if ('isOpen' in client) client.destroy()
    else client.disconnect()
  },
)

const socket = { path: server.socketPath, tls: false } as const

interface NewClient {
  readonly redis: RedisClient
  readonly connect: () => Promise<unknown>
  readonly end: () => unknown
}

it.each<[string, () => NewClient | Promise<NewClient>]>([
  [
    'node-redis',
    () => {
      const redis = createClient({ socket })
      return { redis, connect: () => redis.connect(), end: () => redis.destroy() }
    },
  ],
  [
    'node-redis that begins to connect',
    async () => {
      const proxy = await startTcpProxy(server.socketPath)
      // Refuses connections until the test says so. The client tries again.
      proxy.cut('refuse')
      const redis = createClient({
        socket: { host: '127.0.0.1', port: proxy.port },
        disableOfflineQueue: true,
      })
      redis.on('error', () => undefined)
      const connecting = redis.connect()
      const end = async (): Promise<void> => {
        redis.destroy()
        await proxy[Symbol.asyncDispose]()
      }
      return { redis, connect: () => (proxy.mend(), connecting), end }
    },
  ],
  [
    'ioredis',
    () => {
      const redis = new Redis({ path: server.socketPath, lazyConnect: true, enableOfflineQueue: false })
      // Its first command connects it.
      return { redis, connect: async () => {}, end: () => redis.disconnect() }
    },
  ],
])('says that a client is not connected yet: %s', async (_name, make) => {
  const { redis, connect, end } = await make()
  const events: BudgetEvent[] = []
  const budget = createBudget({
    ...ACCOUNT,
    account: newAccount(),
    redis,
    onEvent: (event) => events.push(event),
  })
  await vi.waitFor(() =>
    expect(events).toEqual([{ type: 'budget.store', reason: 'lost', limit: 6, connected: false }]),
  )
  await connect()
  await vi.waitFor(() => expect(events.at(-1)).toEqual({ type: 'budget.store', reason: 'back' }))
  // It is not new any more.
  await end()
  const { signal } = new AbortController()
  await vi.waitFor(() => {
    budget.acquire({ user: 'ada', deadlineMs: 1, signal }).catch(() => undefined)
    expect(events).toContainEqual({ type: 'budget.store', reason: 'lost', limit: 25 })
  })
  await budget.close()
})

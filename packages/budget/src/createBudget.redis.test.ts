import { createHash } from 'node:crypto'
import { createClient } from 'redis'
import { Redis } from 'ioredis'
import { startRedis } from '@stagepass/testing'
import { afterAll, expect, it } from 'vitest'
import { ACCOUNT } from './account.test.kit.js'
import type { Budget } from './waiting/Budget.js'
import { type Clock, systemClock } from './core/Clock.js'
import { createBudget } from './createBudget.js'
import { type CreateBudgetUnderTest, describeBudget } from './describeBudget.test.kit.js'
import type { BudgetEvent } from './core/events.js'
import { type RedisEval, redisEval } from './redis/redisClient.js'
import { STORE_CLOCK } from './redis/budgetScript.js'
import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'

const server = await startRedis()
const nodeRedis = await createClient({ socket: { path: server.socketPath, tls: false } }).connect()
const ioredis = new Redis({ path: server.socketPath })
afterAll(async () => {
  await nodeRedis.close()
  ioredis.disconnect()
  await server.close()
})

let accounts = 0
const newAccount = (): string => {
  accounts += 1
  return `account-${accounts}`
}

/**
 * The script with the clock of the test in the place of the store's, and with the test waiting for its
 * answers.
 */
function inVirtualTime(run: RedisEval, clock: VirtualClock): RedisEval {
  return (script, keys, args) => {
    expect(script.startsWith(STORE_CLOCK)).toBe(true)
    const rules = script.slice(STORE_CLOCK.length)
    const now = String(Math.floor(clock.now()))
    return clock.track(run(`local now = tonumber(ARGV[4])\n${rules}`, keys, [...args, now]))
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

/** Several instances behind one face: each request goes to the next. */
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
    acquire: ((request) => next().acquire(request)) as Budget['acquire'],
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

it('S26 with a secret, no hash of a user id is in Redis that anyone could make', async () => {
  const sha256 = createHash('sha256').update('1042').digest('base64url').slice(0, 22)
  const stateOf = async (userSecret: string | undefined): Promise<string> => {
    const account = newAccount()
    const budget = createBudget({ ...ACCOUNT, account, redis: nodeRedis, userSecret })
    await budget.acquire({ user: '1042', deadlineMs: 5_000, signal: new AbortController().signal })
    const state = await nodeRedis.get(`stagepass:{${account}}:budget`)
    await budget.close()
    return state ?? ''
  }
  // Without one it can be found by trying all numbers.
  expect(await stateOf(undefined)).toContain(sha256)
  const [one, other] = ['one secret of thirty-two letters', 'other secret of thirty-two letters']
  const hidden = await stateOf(one)
  expect(hidden).not.toContain(sha256)
  expect(hidden).not.toContain('1042')
  const userOf = (state: string): string => JSON.parse(state).slots[0].user
  expect(userOf(await stateOf(one))).toBe(userOf(hidden))
  expect(userOf(await stateOf(other))).not.toBe(userOf(hidden))
})

it('tells real time by the clock of Redis, whatever this process thinks', async () => {
  const account = newAccount()
  const wrongClock: Clock = { ...systemClock, now: () => performance.now() + 30_000 }
  const right = createBudget({ ...ACCOUNT, account, redis: nodeRedis })
  const wrong = createBudget({ ...ACCOUNT, account, redis: ioredis, clock: wrongClock })
  const signal = new AbortController().signal
  const slots = await Promise.all(
    [right, wrong, right, wrong].map((budget) => budget.acquire({ user: 'ada', deadlineMs: 5_000, signal })),
  )
  for (const slot of slots) slot.release('answered')
  const readSlots = async (): Promise<{ freeAt: number; doneAt: number }[]> =>
    JSON.parse((await nodeRedis.get(`stagepass:{${account}}:budget`)) ?? '').slots
  // A release is sent, and its reply is not awaited.
  await expect.poll(async () => (await readSlots()).filter(({ doneAt }) => doneAt >= 0).length).toBe(4)
  const [seconds] = await nodeRedis.time()
  for (const { doneAt, freeAt } of await readSlots()) {
    expect(freeAt - doneAt).toBe(5_010)
    expect(Math.abs(doneAt / 1_000 - Number(seconds))).toBeLessThan(5)
  }
  await Promise.all([right.close(), wrong.close()])
})

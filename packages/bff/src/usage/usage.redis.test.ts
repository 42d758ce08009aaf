import { connect as openConnection } from 'node:net'
import { Problem, SessionTokenResponse, UsageResponse } from '@stagepass/contract/schemas'
import { fail } from '@stagepass/emulator'
import { type Stack, startRedis, startStack, startTcpProxy } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { startBff } from '../grant/presets/authorize.test.kit.js'
import type { RedisClient, RedisEval } from '../index.js'

const userSecret = 'a secret that all of the instances have'
const MINUTE_MS = 60_000

async function join(redis: RedisClient | RedisEval, minutesPerDay: number | { vt: number } = 20) {
  const stack = await startStack({ bff: { redis, userSecret } })
  stack.grant = { user: 'ada@example.com', usage: { minutesPerDay } }
  return stack
}

const mint = async (stack: Stack) => {
  const answer: unknown = await (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).json()
  return SessionTokenResponse.safeParse(answer).data ?? Problem.parse(answer)
}
const receiptOf = async (stack: Stack): Promise<string> => {
  const { usage_receipt = 'none' } = SessionTokenResponse.parse(await mint(stack))
  return usage_receipt
}
const report = async (stack: Stack, receipt: string) =>
  (await stack.fetch('/usage', { json: { receipt, used_ms: 0 } })).status
const read = async (stack: Stack) => {
  const { stt } = UsageResponse.parse(await (await stack.fetch('/usage')).json()).usage
  return [stt?.used_ms, (stt?.reserved_ms ?? 0) / MINUTE_MS]
}

it('S44 a receipt counts once over all instances', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  await using one = await join(client)
  await using other = await join(client)
  const receipt = await receiptOf(one)
  expect(await read(other)).toEqual([0, 10])
  const all = await Promise.all([one, other, one, other].map((stack) => report(stack, receipt)))
  // The same report again is no mistake: the reply to the first may have been lost.
  expect(all).toEqual([200, 200, 200, 200])
  expect(await read(other)).toEqual([0, 0])
  const settled = [one, other].flatMap(({ events }) => events.filter(({ type }) => type === 'usage.settled'))
  expect(settled).toMatchObject([{ by: 'report', usedMs: 0 }])
  await Promise.all([one, other, one, other].map(mint))
  expect(await read(one)).toEqual([0, 20])
})

it('S46 names in Redis do not reveal a user, and every key expires', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  await using stack = await join(client)
  await report(stack, await receiptOf(stack))
  await read(stack)
  const keys = (await client.keys('*')).filter((key) => key.includes(':usage'))
  expect(keys.length).toBeGreaterThan(1)
  for (const key of keys) {
    expect(key).not.toContain('example')
    expect(key.startsWith('stagepass:{main}:usage:')).toBe(true)
    expect(await client.ttl(key)).toBeGreaterThan(0)
  }
})

it('S47 while Redis is lost no user with a limit gets a token, and afterwards the count is unchanged', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  // As if the network had failed: Redis keeps its data.
  let isLost = false
  const run: RedisEval = async (script, keys, args) => {
    if (isLost) throw new Error('lost')
    return client.eval(script, { keys: [...keys], arguments: args.map(String) })
  }
  await using one = await join(run)
  await using counted = await join(run, { vt: 20 })
  const receipt = await receiptOf(one)
  isLost = true
  const lost = { error_code: 'USAGE_UNAVAILABLE', status: 503, retryable: true, retry_after_ms: 1_000 }
  expect(await mint(one)).toMatchObject(lost)
  expect(await report(one, receipt)).toBe(503)
  expect((await one.fetch('/usage')).status).toBe(503)
  // If the product has no limit, only the count is lost.
  const token = await mint(counted)
  expect(token).toHaveProperty('session_key')
  expect(token).not.toHaveProperty('usage_receipt')
  isLost = false
  await expect.poll(() => report(one, receipt)).toBe(200)
  expect(await read(one)).toEqual([0, 0])
})

it('S45 a token that ended while Redis was lost is counted after it', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  const clock = virtualClock()
  let isLost = false
  const run: RedisEval = async (script, keys, args) => {
    if (isLost) throw new Error('lost')
    // The clock stands still until Redis has replied.
    return clock.track(client.eval(script, { keys: [...keys], arguments: args.map(String) }))
  }
  await using stack = await startStack({
    bff: { redis: run, userSecret, platform: { clock, wallNow: Date.now, random: () => 0 } },
  })
  stack.grant = { user: 'ada@example.com', usage: { minutesPerDay: 20 } }
  await receiptOf(stack)
  isLost = true
  await clock.advance(11.25 * MINUTE_MS)
  isLost = false
  const settled = () => stack.events.filter(({ type }) => type === 'usage.settled')
  expect(settled()).toEqual([])
  await clock.advance(MINUTE_MS)
  await expect.poll(settled).toMatchObject([{ by: 'expiry', usedMs: 10 * MINUTE_MS }])
})

it('S47 a receipt from before Redis lost its data refunds nothing', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  await using stack = await join(client)
  const receipt = await receiptOf(stack)
  await client.flushAll()
  for (let turn = 0; turn < 3; turn++) expect(await report(stack, receipt)).toBe(400)
  expect(await read(stack)).toEqual([0, 0])
  await mint(stack)
  expect(await read(stack)).toEqual([0, 10])
  // Only the sum is lost, not the reservation.
  const kept = await receiptOf(stack)
  for (const key of await client.keys('*:taken:*')) await client.del(key)
  expect(await report(stack, kept)).toBe(200)
  expect(await read(stack)).toEqual([0, 0])
})

it('S47 an instance that ends leaves its reservations to the others', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  await using other = await join(client)
  const first = await join(client)
  const receipt = await receiptOf(first)
  await first.close()
  expect(await report(other, receipt)).toBe(200)
  expect(await read(other)).toEqual([0, 0])
})

it('S54 one script reads all sums, and creates no key', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  const calls: (readonly string[])[] = []
  await using stack = await join((script, keys, args) => {
    calls.push(keys)
    return client.eval(script, { keys: [...keys], arguments: args.map(String) })
  })
  const readUsage = async () => {
    calls.length = 0
    const { usage } = UsageResponse.parse(await (await stack.fetch('/usage')).json())
    // The budget has a key of its own.
    return { usage, calls: calls.filter(([key]) => key?.includes(':usage:')) }
  }
  const first = await readUsage()
  expect(Object.keys(first.usage)).toHaveLength(4)
  expect(first.calls).toHaveLength(1)
  expect(await client.keys('*:usage:*')).toEqual([])
  await report(stack, await receiptOf(stack))
  const { usage, calls: again } = await readUsage()
  expect([usage.stt?.used_ms, usage.stt?.reserved_ms, again.length]).toEqual([0, 0, 1])
  // Nothing was used, so this sum does not exist.
  expect(await client.keys('*:used:*')).toEqual([])
})

it("S54 one user with 600 connections prevents no other user's token", async () => {
  await using server = await startRedis()
  const client = await server.connect()
  await using bff = await startBff(
    ({ headers }) => ({ user: String(Reflect.get(headers, 'x-user')), usage: { minutesPerDay: 20 } }),
    // Its clock stands still: no call of Redis is too slow, however busy the machine is.
    { redis: client, userSecret, limits: {}, platform: { clock: virtualClock() } },
  )
  const { port } = new URL(bff.origin)
  const flood = Array.from({ length: 600 }, () => openConnection(Number(port), '127.0.0.1'))
  const head = 'GET /usage HTTP/1.1\r\nHost: 127.0.0.1\r\nx-stagepass: 1\r\nx-user: mallory\r\n\r\n'
  const statuses: string[] = []
  for (const socket of flood) {
    socket.on('error', () => undefined)
    socket.setEncoding('latin1').on('data', (text: string) => {
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d+)/g)) statuses.push(status)
    })
    socket.write(head.repeat(5))
  }
  // While most of them wait.
  await expect.poll(() => statuses.length).toBeGreaterThan(0)
  const minted = await Promise.all(
    Array.from({ length: 10 }, (_, user) => bff.mint({ 'x-user': `user ${user}` })),
  )
  expect(minted.map(({ status }) => status)).toEqual(minted.map(() => 200))
  await expect.poll(() => statuses.length).toBe(3_000)
  expect(new Set(statuses)).toEqual(new Set(['200', '429']))
  // 120 a minute.
  expect(statuses.filter((status) => status === '200').length).toBeLessThan(600)
  for (const socket of flood) socket.destroy()
})

/** Two users without minutes in a row: what an operator sees. */
async function watch(redis: RedisClient | RedisEval) {
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  const stack = await startStack({
    bff: {
      redis,
      userSecret,
      logger: { warn: print, error: print },
      authorize: ({ headers }) => ({ user: String(headers['x-user']), usage: { minutesPerDay: 20 } }),
    },
  })
  return {
    stack,
    lines,
    mintAs: async (user: string) => {
      const response = await stack.fetch('/session-token', {
        json: { usage_type: 'stt' },
        headers: { 'x-user': user },
      })
      return [response.status, ((await response.json()) as { error_code?: string }).error_code]
    },
    health: async () => (await stack.fetch('/health')).status,
    [Symbol.asyncDispose]: () => stack.close(),
  }
}

const REFUSED = [503, 'USAGE_UNAVAILABLE']
const FINE = [200, undefined]

it('S55 one bad key in Redis affects only its own user', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  await using test = await watch(client)
  expect(await test.mintAs('ada')).toEqual(FINE)
  for (const key of await client.keys('*:taken:*')) {
    await client.del(key)
    await client.lPush(key, 'not a number')
  }
  for (const turn of [1, 2, 3]) {
    expect(await test.mintAs('ada')).toEqual(REFUSED)
    expect(await test.mintAs(`user ${turn}`)).toEqual(FINE)
    expect(await test.health()).toBe(200)
  }
  expect(test.lines).toEqual([
    expect.stringMatching(/^\[stagepass\] USAGE_UNAVAILABLE: Redis counts .+, and answered WRONGTYPE\. /),
  ])
  const [failed] = test.stack.events.filter(
    (event) => event.type === 'request.finished' && event.errorCode === 'USAGE_UNAVAILABLE',
  )
  expect(failed).toMatchObject({ cause: { message: expect.stringContaining('WRONGTYPE') } })
})

it('S55 a failure for all users is logged for the operator and shown in /health', async () => {
  await using server = await startRedis()
  const admin = await server.connect()
  await admin.sendCommand(['ACL', 'SETUSER', 'default', 'resetkeys', '~*:budget:*', '~*:*PerMinute:*'])
  const client = await server.connect()
  await using test = await watch(client)
  expect(await test.health()).toBe(200)
  expect(await test.mintAs('ada')).toEqual(REFUSED)
  expect(await test.mintAs('ada')).toEqual(REFUSED)
  expect(await test.health()).toBe(200)
  expect(await test.mintAs('ben')).toEqual(REFUSED)
  expect(await (await test.stack.fetch('/health')).json()).toMatchObject({ status: 'degraded' })
  expect(test.lines).toEqual([
    expect.stringMatching(/^\[stagepass\] USAGE_UNAVAILABLE: Redis .+ answered NOPERM\. Check .+ rights/),
  ])
  await admin.sendCommand(['ACL', 'SETUSER', 'default', 'allkeys'])
  expect(await test.mintAs('ada')).toEqual(FINE)
  expect(await test.health()).toBe(200)
})

it('S55 reads that succeed do not hide in /health that nothing can be counted', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  await using test = await watch(client)
  const users = ['ada', 'ben', 'eve']
  for (const user of users) expect(await test.mintAs(user)).toEqual(FINE)
  for (const key of await client.keys('*:taken:*')) {
    await client.del(key)
    await client.lPush(key, 'not a number')
  }
  for (const user of users) {
    expect(await test.mintAs(user)).toEqual(REFUSED)
    const usage = await test.stack.fetch('/usage', { headers: { 'x-user': 'ada' } })
    expect(usage.status).toBe(200)
  }
  expect(await test.health()).toBe(503)
  expect(await test.mintAs('new')).toEqual(FINE)
  expect(await test.health()).toBe(200)
})

describe('what no page received costs nothing', () => {
  async function behindProxy() {
    const server = await startRedis()
    const proxy = await startTcpProxy(server.socketPath)
    const url = `redis://127.0.0.1:${proxy.port}`
    const client = createClient({ url, socket: { reconnectStrategy: 20 }, disableOfflineQueue: true })
    await client.on('error', () => undefined).connect()
    const admin = await server.connect()
    const test = {
      proxy,
      client,
      /** Delay of the replies about minutes. */
      replyMs: 0,
      /** Number of commands that reserve. */
      reserved: 0,
      stack: await join(async (script, keys, args) => {
        const reply: unknown = await client.eval(script, { keys: [...keys], arguments: args.map(String) })
        // A report has fewer.
        if (args.length > 5) test.reserved += 1
        if (keys.some((key) => key.includes(':usage:')))
          await new Promise((resolve) => setTimeout(resolve, test.replyMs))
        return reply
      }),
      takenMs: async () => Number(await admin.get((await admin.keys('*:taken:????-??-??:*'))[0] ?? 'none')),
      async [Symbol.asyncDispose]() {
        await test.stack.close()
        client.destroy()
        await proxy[Symbol.asyncDispose]()
        await server.close()
      },
    }
    return test
  }
  const unavailable = { error_code: 'USAGE_UNAVAILABLE', retryable: true }

  it('S47 if the replies of Redis are late', async () => {
    await using test = await behindProxy()
    test.replyMs = 700
    expect(await mint(test.stack)).toMatchObject(unavailable)
    await expect.poll(test.takenMs).toBe(10 * MINUTE_MS)
    // The page tries again and again, for more minutes than it has in a day.
    const retry = async () => {
      expect(await mint(test.stack)).toMatchObject(unavailable)
      return test.reserved
    }
    await expect.poll(retry, { interval: 200 }).toBeGreaterThan(3)
    test.replyMs = 0
    await expect.poll(test.takenMs).toBe(0)
    expect(test.stack.upstream.requests).toEqual([])
    await expect.poll(() => mint(test.stack)).toHaveProperty('session_key')
  })

  it('S47 if the connection is lost after Redis has counted', async () => {
    await using test = await behindProxy()
    expect(await read(test.stack)).toEqual([0, 0])
    const release = test.proxy.hold()
    const refused = mint(test.stack)
    await expect.poll(test.takenMs).toBe(10 * MINUTE_MS)
    test.proxy.cut('refuse')
    expect(await refused).toMatchObject(unavailable)
    release()
    test.proxy.mend()
    await expect.poll(test.takenMs).toBe(0)
    expect(test.stack.upstream.requests).toEqual([])
  })

  it('S47 if the service refuses the token, and Redis is lost meanwhile', async () => {
    await using test = await behindProxy()
    test.stack.upstream.use(fail('PAYMENT_PAST_DUE', { times: 1 }))
    const { origin, port, pathname } = new URL(test.stack.upstream.baseUrl)
    await using service = await startTcpProxy(Number(port))
    await test.stack.remount({ baseUrl: origin.replace(port, String(service.port)) + pathname })
    const release = service.hold()
    const refused = mint(test.stack)
    await expect.poll(test.takenMs).toBe(10 * MINUTE_MS)
    test.proxy.cut('refuse')
    release()
    await refused
    expect(await test.takenMs()).toBe(10 * MINUTE_MS)
    test.proxy.mend()
    await expect.poll(test.takenMs).toBe(0)
  })

  it('S44 a report that Redis has accepted is settled, also if its reply is late', async () => {
    await using test = await behindProxy()
    const receipt = await receiptOf(test.stack)
    test.replyMs = 700
    expect(await report(test.stack, receipt)).toBe(503)
    expect(await test.takenMs()).toBe(0)
    await expect
      .poll(() => test.stack.events.filter(({ type }) => type === 'usage.settled'))
      .toMatchObject([{ by: 'report', usedMs: 0 }])
    test.replyMs = 0
    await expect.poll(() => report(test.stack, receipt)).toBe(200)
    expect(await read(test.stack)).toEqual([0, 0])
    expect(test.stack.events.filter(({ type }) => type === 'usage.settled')).toHaveLength(1)
  })

  it.each(['this instance', 'another one'])(
    'S47 a report whose reply was lost is 200 at the next attempt, by %s, with one event',
    async (by) => {
      await using server = await startRedis()
      const client = await server.connect()
      let isLost = false
      const clock = virtualClock()
      const losing = async (script: string, keys: readonly string[], args: readonly (string | number)[]) => {
        const reply: unknown = await clock.track(
          client.eval(script, { keys: [...keys], arguments: args.map(String) }),
        )
        if (isLost) throw new Error('Socket closed unexpectedly')
        return reply
      }
      await using one = await startStack({
        bff: { redis: losing, userSecret, platform: { clock, wallNow: Date.now, random: () => 0 } },
      })
      one.grant = { user: 'ada@example.com', usage: { minutesPerDay: 20 } }
      await using other = await join(client)
      const receipt = await receiptOf(one)
      isLost = true
      expect(await report(one, receipt)).toBe(503)
      // The script has run.
      expect(await read(other)).toEqual([0, 0])
      isLost = false
      const settled = () =>
        [one, other].flatMap(({ events }) => events.filter(({ type }) => type === 'usage.settled'))
      await clock.advance(1_000)
      const next = by === 'another one' ? other : one
      await expect.poll(() => report(next, receipt)).toBe(200)
      // The instance asks again by itself too.
      await clock.advance(20_000)
      await expect.poll(settled).toMatchObject([{ by: 'report', usedMs: 0 }])
      await clock.advance(30_000)
      expect(await report(other, receipt)).toBe(200)
      expect(await read(one)).toEqual([0, 0])
      expect(settled()).toHaveLength(1)
    },
  )
})

import { createHash } from 'node:crypto'
import { createBff } from '@stagepass/bff'
import { startRedis, startStack } from '@stagepass/testing'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { virtualClock } from '@stagepass/testing/virtualClock'

const server = await startRedis()
const nodeRedis = await server.connect()
const ioredis = new Redis({ path: server.socketPath })
afterAll(async () => {
  ioredis.disconnect()
  await server.close()
})

let accounts = 0
const newAccount = (): string => `bff-${(accounts += 1)}`

describe.each([
  ['node-redis', nodeRedis],
  ['ioredis', ioredis],
] as const)('a BFF over %s', (_name, redis) => {
  it('shares slots and limits with the other instances of its account', async () => {
    const account = newAccount()
    const bff = { redis, meetings: { account, cacheMs: 0 }, limits: { meetingsPerMinute: 5 } }
    await using first = await startStack({ bff })
    await using second = await startStack({ bff })
    const statuses: number[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      statuses.push((await first.fetch(`/meetings?limit=${turn + 1}`)).status)
      statuses.push((await second.fetch(`/meetings?limit=${turn + 1}`)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect(first.bff.gauge().used).toBe(5)
  })

  it('S26 leaves no secret, token or user in Redis, and every key expires', async () => {
    const account = newAccount()
    await using stack = await startStack({ bff: { redis, meetings: { account } } })
    stack.grant = { user: 'ada@example.com', meetings: { credential: stack.upstream.meetingsCredential } }
    await stack.remount({ limits: { tokensPerMinute: 30, meetingsPerMinute: 120 } })
    const minted = await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
    expect(minted.status).toBe(200)
    const { session_key: sessionKey } = (await minted.json()) as { session_key: string }
    expect((await stack.fetch('/meetings?q=roadmap')).status).toBe(200)

    const keys = await nodeRedis.keys(`stagepass:{${account}}:*`)
    expect(keys.length).toBeGreaterThanOrEqual(3)
    const planted = [
      stack.upstream.apiKey,
      stack.upstream.meetingsCredential,
      sessionKey,
      'ada@example.com',
      'roadmap',
    ]
    for (const key of keys) {
      expect(await nodeRedis.pTTL(key)).toBeGreaterThan(0)
      const held = `${key} ${await readAll(key)}`
      for (const secret of planted) {
        expect(held).not.toContain(secret)
        expect(held).not.toContain(Buffer.from(secret).toString('base64'))
        expect(held).not.toContain(encodeURIComponent(secret))
      }
    }
    for (const count of keys.filter((key) => key.includes('PerMinute')))
      expect(await nodeRedis.pTTL(count)).toBeLessThanOrEqual(60_000)
  })
})

it('S41 no page of meetings is in Redis', async () => {
  const account = newAccount()
  await using stack = await startStack({ bff: { redis: nodeRedis, meetings: { account } } })
  const page = (await (await stack.fetch('/meetings')).json()) as {
    meetings: { id: string; title: string }[]
  }
  expect(page.meetings.length).toBeGreaterThan(0)
  const keys = await nodeRedis.keys(`*{${account}}*`)
  expect(keys.length).toBeGreaterThanOrEqual(2)
  const held = (await Promise.all(keys.map(readAll))).join(' ')
  for (const { id, title } of page.meetings)
    for (const text of [id, title]) expect(held).not.toContain(JSON.stringify(text))
})

it('S26 with userSecret, a reader of Redis cannot find a user by trying ids', async () => {
  const account = newAccount()
  const userSecret = 'a secret of these tests, of 32 characters'
  const limits = { tokensPerMinute: 30, meetingsPerMinute: 120 }
  await using stack = await startStack({
    bff: { redis: nodeRedis, userSecret, meetings: { account }, limits },
  })
  stack.grant = { user: '1042', meetings: { credential: stack.upstream.meetingsCredential } }
  expect((await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status).toBe(200)
  // More requests than one second allows, so that some wait in Redis under the user's name.
  await Promise.all(Array.from({ length: 12 }, (_, limit) => stack.fetch(`/meetings?limit=${limit + 1}`)))

  const keys = await nodeRedis.keys(`stagepass:{${account}}:*`)
  const held = await Promise.all(keys.map(async (key) => `${key} ${await readAll(key)}`))
  const all = held.join(' ')
  expect(all).toContain('tokensPerMinute')
  for (const text of ['1042', '"1042"'])
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(all).not.toContain(createHash('sha256').update(text).digest(encoding).slice(0, 10))
})

/** A value of any type. */
async function readAll(key: string): Promise<string> {
  switch (await nodeRedis.type(key)) {
    case 'string':
      return (await nodeRedis.get(key)) ?? ''
    case 'hash':
      return JSON.stringify(await nodeRedis.hGetAll(key))
    case 'zset':
      return JSON.stringify(await nodeRedis.zRange(key, 0, -1))
    default:
      throw new Error(`no reader for ${key}`)
  }
}

it('reports that it is degraded while Redis does not answer, and continues with its share', async () => {
  await using other = await startRedis()
  const client = await other.connect()
  const lines: string[] = []
  const logger = { warn: () => undefined, error: (line: string) => lines.push(line) }
  await using stack = await startStack({ bff: { redis: client, logger } })
  expect((await stack.fetch('/health')).status).toBe(200)
  // From here on the instance knows that it is alone.
  expect((await stack.fetch('/meetings')).status).toBe(200)
  // Redis keeps its connections open and sends nothing.
  process.kill(other.pid, 'SIGSTOP')
  expect((await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status).toBe(200)
  expect((await stack.fetch('/meetings?limit=2')).status).toBe(200)
  const health = await stack.fetch('/health')
  expect(health.status).toBe(503)
  // Anyone may request this. Only the log says what is lost, and how much of the rate limit is left.
  expect(await health.json()).toEqual({
    status: 'degraded',
    reason: 'The server works with a part of its capacity.',
  })
  expect(stack.events.find((event) => event.type === 'budget.store' && event.reason === 'lost')).toBeDefined()
  expect(lines).toEqual([
    '[stagepass] budget.store: Redis does not respond. This instance continues with at most 25 requests in a window of the rate limit. Check Redis and the network to it.',
  ])
  await stack.bff.close()
  process.kill(other.pid, 'SIGCONT')
})

it('waits only once for a Redis that hangs, not with each request', async () => {
  await using other = await startRedis()
  const client = await other.connect()
  const clock = virtualClock()
  await using stack = await startStack({
    bff: { redis: client, platform: { clock }, limits: { tokensPerMinute: 30, meetingsPerMinute: 120 } },
  })
  const mint = async (): Promise<number> =>
    (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status
  process.kill(other.pid, 'SIGSTOP')
  try {
    let first: number | undefined
    void mint().then((status) => (first = status))
    // Its wait begins some time after the request has arrived. The clock goes no faster than the real one,
    // so that nothing else is late.
    await vi.waitFor(
      () => {
        clock.jump(500)
        expect(first).toBe(200)
      },
      { interval: 500 },
    )
    // The clock stands still, so these requests do not wait, and neither does the probe.
    expect(await mint()).toBe(200)
    clock.jump(1_000)
    expect(await mint()).toBe(200)
  } finally {
    process.kill(other.pid, 'SIGCONT')
  }
  // The next probe succeeds: from then on Redis counts.
  const count = async (): Promise<number> => {
    const [key = ''] = await client.keys('*:tokensPerMinute:*')
    return Number(await client.get(key))
  }
  await vi.waitFor(async () => {
    clock.jump(1_000)
    await mint()
    const before = await count()
    await mint()
    expect(await count()).toBe(before + 1)
  })
})

it('refuses an option redis that is not a client, in a sentence', () => {
  const good = { apiKey: 'k', baseUrl: 'http://127.0.0.1:1', streamingUrl: 'ws://127.0.0.1:1' }
  expect(() =>
    createBff({
      ...good,
      authorize: () => null,
      // @ts-expect-error That is the mistake.
      redis: 'redis://localhost',
    }),
  ).toThrow(
    'Failed to create the BFF: "redis" is neither a node-redis nor an ioredis client, nor a function that runs a script.',
  )
})

it('a client that is not connected yet has a line of its own, once, with the remedy', async () => {
  const redis = createClient({ socket: { path: server.socketPath, tls: false } })
  const lines: string[] = []
  const print = (level: string) => (line: string) => lines.push(`${level} ${line}`)
  const logger = { warn: print('warn'), error: print('error') }
  await using stack = await startStack({ bff: { redis, logger, meetings: { account: newAccount() } } })
  await vi.waitFor(() =>
    expect(lines).toEqual([
      'warn [stagepass] budget.store: The client in "redis" is not connected yet: await connect() before createBff (with ioredis, wait for its event "ready"). Until then this instance counts for itself. If the client does not connect, check Redis and the network to it.',
    ]),
  )
  await redis.connect()
  await vi.waitFor(() => expect(stack.events).toContainEqual({ type: 'budget.store', reason: 'back' }))
  expect(lines).toHaveLength(1)
  await stack.bff.close()
  redis.destroy()
})

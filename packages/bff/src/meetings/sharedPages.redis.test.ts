import { respond, delay, hang } from '@stagepass/emulator'
import type { BffOptions } from '@stagepass/bff'
import { startRedis, startStack, type Stack } from '@stagepass/testing'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createPageSeal } from '../crypto/createPageSeal.js'

const server = await startRedis()
const nodeRedis = await createClient({ socket: { path: server.socketPath, tls: false } }).connect()
const ioredis = new Redis({ path: server.socketPath })
afterAll(async () => {
  await nodeRedis.close()
  ioredis.disconnect()
  await server.close()
})

const secret = 'the first secret of these tests ......'
const newSecret = 'the second secret of these tests .....'
let accounts = 0

/** Instances of one account: they have the emulator of the first. */
async function startInstances(
  count: number,
  own: (index: number, meetingsUrl: string) => NonNullable<BffOptions['meetings']>,
  more: (index: number) => Partial<BffOptions> = () => ({}),
) {
  const account = `pages-${(accounts += 1)}`
  const stacks: Stack[] = []
  for (let index = 0; index < count; index += 1) {
    const stack = await startStack()
    const { upstream } = stacks[0] ?? stack
    const { apiKey, baseUrl, streamingUrl, meetingsUrl, meetingsCredential: credential } = upstream
    const meetings = { baseUrl: meetingsUrl, account, ...own(index, meetingsUrl) }
    const { onEvent: _, ...options } = more(index)
    await stack.remount({ apiKey, baseUrl, streamingUrl, redis: nodeRedis, ...options, meetings })
    stack.grant = { user: `user ${index}`, meetings: { credential } }
    stacks.push(stack)
  }
  const [first] = stacks
  if (!first) throw new Error('no instance')
  return {
    stacks,
    first,
    last: stacks.at(-1) ?? first,
    upstream: first.upstream,
    calls: () => first.upstream.requests.filter(({ path }) => path.includes('meetings')).length,
    keys: () => nodeRedis.keys(`stagepass:{${account}}:page:*`),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stacks.toReversed().map((stack) => stack.close()))
    },
  }
}

const text = async (stack: Stack, path = '/meetings', init?: RequestInit): Promise<string> => {
  const response = await stack.fetch(path, init)
  expect(response.status).toBe(200)
  return response.text()
}
const rejected = ({ events }: Stack): number => events.filter(({ type }) => type === 'cache.rejected').length
function withBitFlipped(sealed: string, byte: number): string {
  const bytes = Buffer.from(sealed, 'base64')
  bytes[byte] = (bytes[byte] ?? 0) ^ 1
  return bytes.toString('base64')
}
/** Until the page of the first instance is in Redis. */
const written = (test: { keys: () => Promise<string[]> }, count = 1) =>
  vi.waitFor(async () => expect(await test.keys()).toHaveLength(count))

describe.each([
  ['node-redis', nodeRedis],
  ['ioredis', ioredis],
] as const)('pages shared over %s', (_name, redis) => {
  const share = (count: number, more: () => Partial<BffOptions> = () => ({ redis })) =>
    startInstances(count, () => ({ sharedCache: { secret } }), more)

  it('another instance serves a page without an upstream request', async () => {
    await using test = await share(2)
    const page = await text(test.first)
    await written(test)
    expect(await text(test.last)).toBe(page)
    expect(test.calls()).toBe(1)
    expect(test.last.bff.gauge().saved).toEqual({ shared: 0, cached: 1 })
  })

  it('instances that need a page at the same time share one upstream request', async () => {
    await using test = await share(3)
    test.upstream.use(delay(300))
    const pages = await Promise.all(test.stacks.map((stack) => text(stack)))
    expect(new Set(pages).size).toBe(1)
    expect(test.calls()).toBe(1)
  })

  it('no-cache takes no page from Redis, and puts one there', async () => {
    await using test = await share(2)
    await text(test.first)
    await written(test)
    await text(test.last, '/meetings', { headers: { 'cache-control': 'no-cache' } })
    expect(test.calls()).toBe(2)
  })

  it('S41 a page in Redis is unreadable and has an end', async () => {
    await using test = await share(1)
    const page = JSON.parse(await text(test.first, '/meetings?q=roadmap')) as {
      meetings: { title: string }[]
    }
    await written(test)
    const [key = ''] = await test.keys()
    const held = (await nodeRedis.get(key)) ?? ''
    const bytes = Buffer.from(held, 'base64').toString('latin1')
    for (const plain of [
      'roadmap',
      'title',
      test.upstream.meetingsCredential,
      page.meetings[0]?.title ?? '-',
      secret,
    ])
      for (const seen of [key, held, bytes]) expect(seen).not.toContain(plain)
    const leftMs = await nodeRedis.pTTL(key)
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThanOrEqual(6_000)
  })

  it.each<[string, (held: string) => string]>([
    ['changed', (held) => withBitFlipped(held, 20)],
    ['cut', (held) => held.slice(0, 40)],
    ['of another version', (held) => withBitFlipped(held, 0)],
    ['replaced by other text', () => '{"meetings":[]}'],
  ])('S41 a page that was %s is a miss and an event', async (_what, change) => {
    await using test = await share(2)
    const page = await text(test.first)
    await written(test)
    const [key = ''] = await test.keys()
    await nodeRedis.set(key, change((await nodeRedis.get(key)) ?? ''), { KEEPTTL: true })
    expect(await text(test.last)).toBe(page)
    expect(test.calls()).toBe(2)
    expect(rejected(test.last)).toBe(1)
    expect(test.last.events).toContainEqual({ type: 'cache.rejected' })
  })

  it('S41 a page that was moved is a miss and an event', async () => {
    await using test = await share(2)
    const [all, one] = [await text(test.first), await text(test.first, '/meetings?limit=1')]
    expect(one).not.toBe(all)
    await written(test, 2)
    const [a = '', b = ''] = await test.keys()
    const held = await nodeRedis.get(a)
    await nodeRedis.set(a, (await nodeRedis.get(b)) ?? '', { KEEPTTL: true })
    await nodeRedis.set(b, held ?? '', { KEEPTTL: true })
    expect([await text(test.last), await text(test.last, '/meetings?limit=1')]).toEqual([all, one])
    expect(test.calls()).toBe(4)
    expect(rejected(test.last)).toBe(2)
  })

  it('S41 a value of another type is a miss and an event, and the next page takes its place', async () => {
    await using test = await share(2)
    await text(test.first)
    await written(test)
    const [key = ''] = await test.keys()
    await nodeRedis.del(key)
    await nodeRedis.lPush(key, 'x')
    await text(test.last)
    expect([test.calls(), rejected(test.last)]).toEqual([2, 1])
    await vi.waitFor(async () => expect(await nodeRedis.type(key)).toBe('string'))
  })
})

/** Redis' clock, in milliseconds. */
const redisNow = async (): Promise<number> =>
  Number(await nodeRedis.eval("return redis.call('TIME')[1] * 1000"))

it.each([
  ['now', 0, true],
  ['before the longest life of a page', -8_000, false],
  ['in the future', 8_000, false],
] as const)('S41 a page that was put back, and was sealed %s', async (_when, offsetMs, isServed) => {
  await using test = await startInstances(2, () => ({ sharedCache: { secret } }))
  const page = await text(test.first)
  await written(test)
  const [key = ''] = await test.keys()
  // What an instance wrote at that time. It had its end, and somebody who can write to Redis brought it back.
  const other = '{"meetings":[],"next_cursor":null}'
  const sealed = await createPageSeal(secret).seal(key, `${(await redisNow()) + offsetMs} 6000 ${other}`)
  await nodeRedis.set(key, sealed, { PX: 60_000 })
  expect(await text(test.last)).toBe(isServed ? other : page)
  expect([test.calls(), rejected(test.last)]).toEqual(isServed ? [1, 0] : [2, 1])
})

it.each<[string, (index: number, meetingsUrl: string) => NonNullable<BffOptions['meetings']>]>([
  ['service', (index, url) => ({ baseUrl: index === 0 ? url : new URL(url).origin })],
  ['wire', (index) => ({ wire: { ownershipWords: index === 0 ? {} : { mine: ['own'] } } })],
])('S41 instances with another %s share nothing in one Redis', async (_what, own) => {
  await using test = await startInstances(2, (index, url) => ({
    sharedCache: { secret },
    ...own(index, url),
  }))
  await text(test.first)
  await written(test)
  await text(test.last)
  expect(test.calls()).toBe(2)
  await written(test, 2)
  expect(test.stacks.map(rejected)).toEqual([0, 0])
})

it('S41 a value that is longer than any page is not read', async () => {
  await using test = await startInstances(2, () => ({ sharedCache: { secret } }))
  await text(test.first)
  await written(test)
  const [key = ''] = await test.keys()
  await nodeRedis.set(key, 'A'.repeat(2_000_000), { KEEPTTL: true })
  const sent = async (): Promise<number> =>
    Number(/total_net_output_bytes:(\d+)/.exec(await nodeRedis.info('stats'))?.[1])
  const before = await sent()
  await text(test.last)
  expect((await sent()) - before).toBeLessThan(100_000)
  expect([test.calls(), rejected(test.last)]).toEqual([2, 1])
})

it('S41 without a secret nothing of a page is in Redis', async () => {
  await using test = await startInstances(2, () => ({}))
  await Promise.all(test.stacks.map((stack) => text(stack)))
  expect(await test.keys()).toEqual([])
  expect(test.calls()).toBe(2)
})

it('S41 instances with other secrets share nothing, and none of them reports the other', async () => {
  await using test = await startInstances(2, (index) => ({
    sharedCache: { secret: index === 0 ? secret : newSecret },
  }))
  await text(test.first)
  await written(test)
  await text(test.last)
  expect(test.calls()).toBe(2)
  expect(test.stacks.map(rejected)).toEqual([0, 0])
})

it('S41 after a change of the secret the pages of the one before are still read', async () => {
  await using test = await startInstances(2, (index) => ({
    sharedCache: index === 0 ? { secret } : { secret: newSecret, previousSecret: secret },
  }))
  const page = await text(test.first)
  await written(test)
  expect(await text(test.last)).toBe(page)
  expect(test.calls()).toBe(1)
  expect(rejected(test.last)).toBe(0)
})

it('a page is as old as it is, also for an instance that keeps pages for a shorter time', async () => {
  await using test = await startInstances(2, (index) => ({
    sharedCache: { secret },
    cacheMs: index === 0 ? 60_000 : 1,
  }))
  await text(test.first)
  await written(test)
  const [key = ''] = await test.keys()
  await vi.waitFor(async () => expect(await nodeRedis.pTTL(key)).toBeLessThan(119_990))
  await text(test.last)
  expect(test.calls()).toBe(2)
})

it('a page that is too long for Redis is loaded by each instance', async () => {
  await using test = await startInstances(2, () => ({ sharedCache: { secret } }))
  const long = { id: '1', title: 'x'.repeat(300_000) }
  test.upstream.use(respond({ status: 200, body: { meetings: [long], next_cursor: null } }))
  const [one, two] = await Promise.all(test.stacks.map((stack) => text(stack)))
  expect(one).toBe(two)
  expect(one).toContain(long.title)
  expect(test.calls()).toBe(2)
  for (const key of await test.keys()) expect(await nodeRedis.strLen(key)).toBeLessThan(100)
})

it('a failure of one instance is not kept: the instances that waited for it ask themselves', async () => {
  await using test = await startInstances(2, () => ({ sharedCache: { secret } }))
  test.upstream.use(respond({ status: 500 }, { times: 1 }))
  test.upstream.use(delay(300, { times: 1 }))
  const failing = test.first.fetch('/meetings')
  await vi.waitFor(() => expect(test.calls()).toBe(1))
  const following = test.last.fetch('/meetings')
  expect((await failing).status).toBe(502)
  // The failure is known to all.
  await written(test)
  expect((await following).status).toBe(200)
  expect(test.calls()).toBe(2)
})

it('an instance that dies with the slot costs the others one time-out', async () => {
  const dying = new Redis({ path: server.socketPath })
  await using test = await startInstances(
    2,
    () => ({ sharedCache: { secret } }),
    (index) => (index === 0 ? { redis: dying } : {}),
  )
  const undo = test.upstream.use(hang())
  const leaving = new AbortController()
  const lost = test.first.fetch('/meetings', { signal: leaving.signal }).catch(() => undefined)
  await vi.waitFor(() => expect(test.calls()).toBe(1))
  dying.disconnect()
  undo()
  // Within the deadline of its request.
  await text(test.last)
  expect(test.calls()).toBe(2)
  leaving.abort()
  await lost
}, 20_000)

it('200 users who open 20 pages over four instances cost 20 upstream requests', async () => {
  await using test = await startInstances(4, () => ({ sharedCache: { secret } }))
  const { meetingsCredential: credential } = test.upstream
  let users = 0
  for (const stack of test.stacks)
    await stack.remount({
      apiKey: test.upstream.apiKey,
      baseUrl: test.upstream.baseUrl,
      streamingUrl: test.upstream.streamingUrl,
      redis: nodeRedis,
      meetings: { baseUrl: test.upstream.meetingsUrl, account: `pages-${accounts}`, sharedCache: { secret } },
      authorize: () => ({ user: `user ${(users += 1)}`, meetings: { credential } }),
    })
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const stack = test.stacks[index % 4] ?? test.first
      // Each page is asked of every instance.
      const response = await stack.fetch(`/meetings?q=${Math.floor(index / 4) % 20}`)
      await response.text()
      return response.status
    }),
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(200)
  expect(users).toBe(200)
  expect(test.calls()).toBe(20)
}, 30_000)

it('S40 a light user on another instance does not wait for the turn of the heavy one', async () => {
  await using test = await startInstances(2, () => ({ sharedCache: { secret } }))
  // A burst of ten, and twenty in the queue: four seconds of work.
  const heavy = Promise.allSettled(
    Array.from({ length: 30 }, (_, index) => text(test.first, `/meetings?q=${index}`)),
  )
  await vi.waitFor(() => expect(test.first.bff.gauge().waiting).toBeGreaterThan(15), { timeout: 5_000 })
  await text(test.last, '/meetings?q=29')
  await heavy
  expect(test.calls()).toBe(30)
  const place = (q: number): number =>
    test.upstream.requests.findIndex(({ query }) => query['q'] === String(q))
  expect(place(29)).toBeLessThan(place(27))
}, 30_000)

it('a Redis that hangs costs no more than a miss', async () => {
  await using other = await startRedis()
  const client = await createClient({ socket: { path: other.socketPath, tls: false } }).connect()
  await using stack = await startStack({ bff: { redis: client, meetings: { sharedCache: { secret } } } })
  const page = await text(stack)
  process.kill(other.pid, 'SIGSTOP')
  try {
    expect(await text(stack)).toBe(page)
    const response = await stack.fetch('/meetings?limit=3')
    expect(response.status).toBe(200)
  } finally {
    process.kill(other.pid, 'SIGCONT')
  }
  client.destroy()
}, 20_000)

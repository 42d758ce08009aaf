import { startRedis } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { createClient } from 'redis'
import { afterAll, expect, it } from 'vitest'
import type { BffEvent } from '../context/events.js'
import { createPageSeal } from '../crypto/createPageSeal.js'
import { createBreaker } from '../gate/createBreaker.js'
import { createSharedPages } from './createSharedPages.js'

const server = await startRedis()
const redis = await createClient({ socket: { path: server.socketPath, tls: false } }).connect()
afterAll(async () => {
  await redis.close()
  await server.close()
})

const SECRETS = ['the secret in use, of 32 characters', 'the secret of before, 32 characters']
const KEEP_MS = 60_000
const MOST_BYTES = 262_144
let accounts = 0

function setUp({ keepMs = KEEP_MS, secrets = SECRETS } = {}) {
  const account = `direct-${(accounts += 1)}`
  const clock = virtualClock()
  const events: BffEvent[] = []
  const open = (more: Partial<Parameters<typeof createSharedPages>[0]> = {}) =>
    createSharedPages({
      redis,
      account,
      secrets,
      keepMs,
      clock,
      breaker: createBreaker(clock, 60_000),
      emit: (event) => events.push(event),
      ...more,
    })
  const keyOf = (name: string): string => `stagepass:{${account}}:page:${name}`
  return {
    pages: open(),
    open,
    clock,
    keyOf,
    rejected: () => events.filter(({ type }) => type === 'cache.rejected').length,
    /** Puts a page there that was sealed so long ago, to be kept for so long. */
    put: async (
      name: string,
      json: string,
      ageMs: number,
      keptMs: number,
      secret = secrets[0] ?? '',
    ): Promise<void> => {
      const now = Number(
        await redis.eval("local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000)"),
      )
      const page = `${now - ageMs} ${keptMs} ${json}`
      await redis.set(keyOf(name), await createPageSeal(secret).seal(keyOf(name), page))
    },
  }
}

it('a page is read by all instances, with its age, and ends with its time', async () => {
  const { pages, open, keyOf, clock } = setUp()
  expect(await pages.read(['one', 'before'])).toBeUndefined()
  await clock.advance(5)
  await pages.write(['one', 'before'], '{"a":1}')
  const lives = await redis.pTTL(keyOf('one'))
  expect(lives).toBeGreaterThan(0)
  expect(lives).toBeLessThanOrEqual(KEEP_MS)
  expect(await redis.exists(keyOf('before'))).toBe(0)
  const found = await open().read(['one', 'before'])
  expect(found).toEqual({
    sealed: await redis.get(keyOf('one')),
    json: '{"a":1}',
    ageMs: expect.any(Number) as number,
  })
  expect(found?.ageMs).toBeLessThan(KEEP_MS)
})

it('S41 a page holds the time of Redis at which it was sealed, and how long it is kept', async () => {
  const { pages, keyOf, clock } = setUp()
  await pages.read(['one'])
  const before = Date.now()
  await clock.advance(700)
  await pages.write(['one'], 'page\nof two lines')
  const opened = await createPageSeal(SECRETS[0] ?? '').open(
    keyOf('one'),
    (await redis.get(keyOf('one'))) ?? '',
  )
  const [, sealedAt, keptMs, json] = /^(\d+) (\d+) (.*)$/s.exec(opened ?? '') ?? []
  expect([keptMs, json]).toEqual([String(KEEP_MS), 'page\nof two lines'])
  // Redis has the clock of this machine. 700 ms have passed here since it was read.
  expect(Number(sealedAt)).toBeGreaterThanOrEqual(before - 1 + 700 - 1_000)
  expect(Number(sealedAt)).toBeLessThanOrEqual(Date.now() + 700)
  expect(await pages.read(['one'])).toMatchObject({ json: 'page\nof two lines' })
})

it('nothing is written before Redis has given its time', async () => {
  const { pages, keyOf } = setUp()
  await pages.write(['one'], '{}')
  await pages.markFailed(['one'])
  expect(await redis.exists(keyOf('one'))).toBe(0)
})

it('what was read before is not read again', async () => {
  const { pages, put } = setUp()
  await put('one', '{"a":1}', 0, KEEP_MS)
  const first = await pages.read(['one'])
  expect(first?.json).toBe('{"a":1}')
  expect(await pages.read(['one'], first?.sealed)).toBeUndefined()
  await put('one', '{"a":2}', 0, KEEP_MS)
  expect((await pages.read(['one'], first?.sealed))?.json).toBe('{"a":2}')
})

it('the page of the previous secret is read, if there is none of the one in use', async () => {
  const { pages, put, rejected } = setUp()
  await put('before', '{"a":1}', 0, KEEP_MS, SECRETS[1])
  expect((await pages.read(['one', 'before']))?.json).toBe('{"a":1}')
  await put('one', '{"a":2}', 0, KEEP_MS)
  expect((await pages.read(['one', 'before']))?.json).toBe('{"a":2}')
  expect(rejected()).toBe(0)
  await put('one', '{"a":3}', 0, KEEP_MS, SECRETS[1])
  expect((await pages.read(['one', 'before']))?.json).toBeUndefined()
  expect(rejected()).toBe(1)
})

it.each([
  ['of now', 0, KEEP_MS, true, 0],
  ['of half a minute ago', 30_000, KEEP_MS, true, 0],
  ['that an instance with other settings keeps for longer', 90_000, 200_000, false, 0],
  ['of a clock that is half a second ahead', -500, KEEP_MS, true, 0],
  ['of a clock that is far ahead', -30_000, KEEP_MS, false, 1],
  ['that was put back', 90_000, KEEP_MS, false, 1],
  ['that was kept for less, and was put back', 30_000, 20_000, false, 1],
] as const)('S41 a page %s: read %j', async (_what, ageMs, keptMs, isRead, events) => {
  const { pages, put, rejected } = setUp()
  await put('one', '{"a":1}', ageMs, keptMs)
  const found = await pages.read(['one'])
  expect(found?.json).toBe(isRead ? '{"a":1}' : undefined)
  expect(rejected()).toBe(events)
  expect(found?.ageMs).toBeGreaterThanOrEqual(events === 0 ? Math.max(0, ageMs) : 0)
  expect(found?.ageMs).toBeLessThan(events === 0 ? Math.max(0, ageMs) + 20_000 : 1)
})

it.each([
  ['a text of another', 'hello'],
  ['one that is cut', '0 1'],
  ['one without a time', 'x 60000 {}'],
  ['one without its life', '1 {}'],
  ['one with more before its time', `x${Date.now()} ${KEEP_MS} {}`],
])('S41 %s is none of ours', async (_what, page) => {
  const { pages, keyOf, rejected } = setUp()
  await redis.set(keyOf('one'), await createPageSeal(SECRETS[0] ?? '').seal(keyOf('one'), page))
  expect(await pages.read(['one'])).toMatchObject({ json: undefined, ageMs: 0 })
  expect(rejected()).toBe(1)
})

it('a failure is marked: whoever waits for the page sees that something came, and no page', async () => {
  const { pages, keyOf, rejected } = setUp()
  await pages.read(['one'])
  await pages.markFailed(['one'])
  const first = await pages.read(['one'])
  expect(first).toMatchObject({ json: undefined })
  expect(rejected()).toBe(0)
  const lives = await redis.pTTL(keyOf('one'))
  expect(lives).toBeGreaterThan(0)
  expect(lives).toBeLessThanOrEqual(KEEP_MS)
  await pages.markFailed(['one'])
  expect((await pages.read(['one'], first?.sealed))?.sealed).not.toBe(first?.sealed)
  await pages.write(['one'], '{"a":1}')
  expect((await pages.read(['one']))?.json).toBe('{"a":1}')
  await pages.markFailed(['one'])
  expect((await pages.read(['one']))?.json).toBe('{"a":1}')
})

it('a value of another type is not used, and is replaced', async () => {
  for (const act of ['write', 'mark'] as const) {
    const { pages, keyOf, rejected } = setUp()
    await redis.hSet(keyOf('one'), 'a', '1')
    expect(await pages.read(['one'])).toMatchObject({ sealed: 'not a text', json: undefined })
    expect(rejected()).toBe(1)
    await (act === 'write' ? pages.write(['one'], '{"a":1}') : pages.markFailed(['one']))
    expect((await pages.read(['one']))?.json).toBe(act === 'write' ? '{"a":1}' : undefined)
    expect(rejected()).toBe(1)
  }
})

it('S27 a page that is too long is not shared, and what is longer than any page is not read', async () => {
  const { pages, keyOf, rejected } = setUp()
  await pages.read(['one'])
  const longest = 'ü'.repeat(MOST_BYTES / 2)
  await pages.write(['one'], longest)
  expect((await pages.read(['one']))?.json).toBe(longest)
  await redis.del(keyOf('one'))
  await pages.write(['one'], `${longest}a`)
  expect(await redis.strLen(keyOf('one'))).toBeLessThan(200)
  expect((await pages.read(['one']))?.json).toBeUndefined()
  expect(rejected()).toBe(0)
  await redis.set(keyOf('one'), 'x'.repeat(400_000))
  expect((await pages.read(['one']))?.sealed).toHaveLength(24)
  expect(rejected()).toBe(1)
})

it.each([
  ['one second ahead', -1_000, KEEP_MS, '{}', 0],
  ['more than that', -1_001, KEEP_MS, undefined, 1],
  ['at the end of its time', KEEP_MS, KEEP_MS, '{}', 0],
  ['a moment later', KEEP_MS + 1, KEEP_MS, undefined, 0],
  ['one second after its end', 21_000, 20_000, '{}', 0],
  ['more than that', 21_001, 20_000, undefined, 1],
] as const)('S41 a page %s: %i of %i ms', async (_what, ageMs, keptMs, json, events) => {
  const { open, keyOf, rejected } = setUp()
  const now = 1_000_000_000
  const page = await createPageSeal(SECRETS[0] ?? '').seal(keyOf('one'), `${now - ageMs} ${keptMs} {}`)
  await redis.set(keyOf('one'), page)
  const pages = open({
    // Redis, at a time of the test.
    async redis(script, keys, args) {
      const reply = await redis.eval(script, { keys: [...keys], arguments: [...args] })
      return [now, ...(reply as unknown[]).slice(1)]
    },
  })
  expect((await pages.read(['one']))?.json).toBe(json)
  expect(rejected()).toBe(events)
})

it('a value of others is not used without a listener either', async () => {
  const { open, keyOf } = setUp()
  await redis.set(keyOf('one'), 'hello')
  expect(await open({ emit: undefined }).read(['one'])).toMatchObject({ json: undefined })
})

it('while Redis fails there are no pages', async () => {
  const clock = virtualClock()
  const failing = createSharedPages({
    redis: () => Promise.reject(new Error('down')),
    account: 'a',
    secrets: SECRETS,
    keepMs: KEEP_MS,
    clock,
    breaker: createBreaker(clock, 1_000),
    emit: undefined,
  })
  expect(await failing.read(['one'])).toBeUndefined()
  await failing.write(['one'], '{}')
  await failing.markFailed(['one'])
})

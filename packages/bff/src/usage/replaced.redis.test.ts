import { Problem, SessionTokenResponse, UsageResponse } from '@stagepass/contract/schemas'
import { delay, fail } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import type { BffOptions, RedisEval } from '../index.js'
import { type Place, startTwo } from '../twoInstances.test.kit.js'

const MINUTE_MS = 60_000
const NOON = Date.parse('2030-01-01T12:00:00Z')
const usage = { minutesPerDay: 12 }

/** A user with 12 minutes a day, and one instance, or two on one Redis. */
async function setUp(kind: Place) {
  const network = { isLost: false, afterMint: () => {}, commands: 0 }
  const two = await startTwo(kind, async (clock, redis, nth) => {
    const startMs = clock.now()
    const losing: RedisEval | undefined =
      redis &&
      (async (script, keys, args) => {
        if (keys.some((key) => key.includes(':usage:'))) network.commands += 1
        if (network.isLost) throw new Error('lost')
        return redis(script, keys, args)
      })
    const bff: Partial<BffOptions> = {
      redis: nth === 0 ? losing : redis,
      onEvent({ type }) {
        if (type === 'upstream.called') network.afterMint()
      },
      userSecret: 'a secret that all of the instances have',
      platform: { clock, wallNow: () => NOON + clock.now() - startMs, random: () => 0 },
    }
    const stack = await startStack({ bff })
    stack.grant = { user: 'ada', usage }
    return stack
  })
  const { clock, client } = two
  return {
    ...two,
    network,
    settled: () => two.of('usage.settled'),
    /** Time passes for the reservations too: in Redis by a shorter time to live. */
    async pass(ms: number) {
      await clock.advance(ms)
      for (const key of (await client?.keys('*:usage:*')) ?? [])
        if (!/:(?:taken|used):/.test(key)) await client?.pExpire(key, (await client.pTTL(key)) - ms)
    },
    advance: (ms: number) => clock.advance(ms),
  }
}

async function mint(stack: Stack, replaces?: object, usage_type = 'stt') {
  const response = await stack.fetch('/session-token', { json: { usage_type, replaces } })
  const answer: unknown = await response.json()
  return SessionTokenResponse.safeParse(answer).data ?? Problem.parse(answer)
}
/** Mints. Returns the receipt, and the minutes of the token. */
async function mintToken(stack: Stack, replaces?: object, product?: string) {
  const { usage_receipt = '', expires_in_ms } = SessionTokenResponse.parse(
    await mint(stack, replaces, product),
  )
  return { receipt: usage_receipt, minutes: expires_in_ms / MINUTE_MS }
}
const report = async (stack: Stack, receipt: string, used_ms = 0) =>
  (await stack.fetch('/usage', { json: { receipt, used_ms } })).status
/** The used and the reserved minutes. The clock of Redis runs while a test does. */
async function minutes(stack: Stack) {
  const { stt } = UsageResponse.parse(await (await stack.fetch('/usage')).json()).usage
  return [Math.floor((stt?.used_ms ?? NaN) / MINUTE_MS), (stt?.reserved_ms ?? NaN) / MINUTE_MS]
}
const EXHAUSTED = { error_code: 'USAGE_EXHAUSTED', retryable: false }

describe.each(['memory', 'Redis'] as const)('a token that replaces another one, counted in %s', (kind) => {
  it('takes over its minutes, again and again, in every instance', async () => {
    await using test = await setUp(kind)
    let token = await mintToken(test.one)
    for (let turn = 1; turn <= 6; turn++) {
      token = await mintToken(turn % 2 === 0 ? test.one : test.other, { receipt: token.receipt, used_ms: 0 })
      expect(token.minutes).toBe(10)
      expect(await minutes(test.one)).toEqual([0, 10])
      expect(test.settled()).toHaveLength(turn)
    }
    expect(test.settled()[0]).toMatchObject({ by: 'report', usedMs: 0, reservedMs: 10 * MINUTE_MS })
    expect(await report(test.other, token.receipt)).toBe(200)
    expect(await minutes(test.one)).toEqual([0, 0])
  })

  it.each([
    ['what the page has reported', 2, 2, 10],
    ['at most the time since the mint', 9, 3, 8],
  ])('subtracts %s', async (_what, reported, used, left) => {
    await using test = await setUp(kind)
    const { receipt } = await mintToken(test.one)
    await test.pass(3.5 * MINUTE_MS)
    const next = await mintToken(test.other, { receipt, used_ms: reported * MINUTE_MS })
    expect(next.minutes).toBe(left)
    expect(await minutes(test.one)).toEqual([used, left])
  })

  it('S44 gets nothing from a receipt that is changed, foreign, of another product, or was reported', async () => {
    await using test = await setUp(kind)
    const ended = await mintToken(test.one)
    expect(await report(test.one, ended.receipt)).toBe(200)
    const { receipt } = await mintToken(test.one)
    const ofProduct = await mintToken(test.one, undefined, 'vt')
    test.one.grant = { user: 'eve', usage }
    const foreign = await mintToken(test.one)
    test.one.grant = { user: 'ada', usage }
    const receipts = [ended, ofProduct, foreign].map((token) => token.receipt)
    for (const other of ['x', `${receipt}x`, receipt.replace('600000', '900000'), ...receipts])
      expect(await mint(test.one, { receipt: other, used_ms: 0 })).toMatchObject(EXHAUSTED)
    expect(await minutes(test.one)).toEqual([0, 10])
    expect(test.settled()).toHaveLength(1)
    // It is no mistake to have such a receipt.
    test.one.grant = { user: 'ada', usage: { minutesPerDay: 20 } }
    for (const other of ['x', ...receipts]) {
      const token = await mintToken(test.one, { receipt: other, used_ms: 0 })
      expect(await report(test.one, token.receipt)).toBe(200)
    }
  })

  it('leaves it unchanged if the service refuses the mint', async () => {
    await using test = await setUp(kind)
    const { receipt } = await mintToken(test.one)
    test.one.upstream.use(fail('PAYMENT_PAST_DUE', { times: 1 }))
    const replaces = { receipt, used_ms: 0 }
    expect(await mint(test.one, replaces)).toMatchObject({ error_code: 'PAYMENT_PAST_DUE' })
    expect(await minutes(test.one)).toEqual([0, 10])
    expect(test.settled()).toEqual([])
    expect((await mintToken(test.one, replaces)).minutes).toBe(10)
    expect(await minutes(test.one)).toEqual([0, 10])
  })

  it('leaves it unchanged if the page has gone before the response', async () => {
    await using test = await setUp(kind)
    const { receipt } = await mintToken(test.one)
    const replaces = { receipt, used_ms: 0 }
    test.one.upstream.use(delay(300, { times: 1 }))
    const abort = new AbortController()
    const json = { usage_type: 'stt', replaces }
    const request = test.one.fetch('/session-token', { json, signal: abort.signal })
    await expect.poll(() => minutes(test.other)).toEqual([0, 20])
    abort.abort()
    await expect(request).rejects.toThrow('aborted')
    await expect.poll(() => minutes(test.other)).toEqual([0, 10])
    expect(test.settled()).toEqual([])
    expect((await mintToken(test.other, replaces)).minutes).toBe(10)
  })

  it('leaves it unchanged if the host has sent its own response before the mint', async () => {
    await using test = await setUp(kind)
    const { receipt } = await mintToken(test.one)
    const remove = test.one.intercept((_req, res, next) => {
      test.network.afterMint = () => void res.status(401).json({})
      next()
    })
    const json = { usage_type: 'stt', replaces: { receipt, used_ms: 0 } }
    expect((await test.one.fetch('/session-token', { json })).status).toBe(401)
    remove()
    test.network.afterMint = () => {}
    await expect.poll(() => minutes(test.other)).toEqual([0, 10])
    expect(test.settled()).toEqual([])
  })

  it('is taken over if its response was lost, and so is the next', async () => {
    await using test = await setUp(kind)
    const { receipt } = await mintToken(test.one)
    const replaces = { receipt, used_ms: 0 }
    for (const instance of [test.one, test.other, test.one, test.other])
      expect((await mintToken(instance, replaces)).minutes).toBe(10)
    expect(await minutes(test.one)).toEqual([0, 10])
    expect(test.settled()).toHaveLength(4)
    // The page has the last one.
    const last = await mintToken(test.one, replaces)
    expect(await report(test.other, last.receipt)).toBe(200)
    expect(await minutes(test.one)).toEqual([0, 0])
    expect((await mintToken(test.one, replaces)).minutes).toBe(10)
  })

  it.each(['before it', 'after it', 'at the same time'])(
    'counts a report of its own once, %s',
    async (order) => {
      await using test = await setUp(kind)
      const { receipt } = await mintToken(test.one)
      const replaces = { receipt, used_ms: 0 }
      const reported = order === 'before it' ? [await report(test.other, receipt)] : []
      const minted = mintToken(test.one, replaces)
      if (order !== 'at the same time') await minted
      // The same report again is no mistake.
      reported.push(await report(test.other, receipt))
      expect((await minted).minutes).toBe(10)
      expect(reported.every((status) => status === 200)).toBe(true)
      expect(await minutes(test.one)).toEqual([0, 10])
      expect(test.settled()).toHaveLength(1)
    },
  )

  it('is settled with the minutes of yesterday, which are not left today', async () => {
    await using test = await setUp(kind)
    await test.pass(12 * 60 * MINUTE_MS - 2 * MINUTE_MS)
    const { receipt } = await mintToken(test.one)
    await test.pass(4 * MINUTE_MS)
    const tab = await mintToken(test.other)
    const replaces = { receipt, used_ms: MINUTE_MS }
    expect(await mint(test.other, replaces)).toMatchObject(EXHAUSTED)
    expect(test.settled()).toEqual([])
    expect(await report(test.other, tab.receipt)).toBe(200)
    expect((await mintToken(test.other, replaces)).minutes).toBe(10)
    expect(test.settled()).toMatchObject([{ usedMs: 0 }, { usedMs: MINUTE_MS, by: 'report' }])
    expect(await minutes(test.one)).toEqual([0, 10])
  })

  it('gets nothing from a token that ended more than a minute ago', async () => {
    await using test = await setUp(kind)
    const { receipt } = await mintToken(test.one)
    await test.pass(11.1 * MINUTE_MS)
    expect(await mint(test.one, { receipt, used_ms: 0 })).toMatchObject(EXHAUSTED)
  })
})

it('a replaced token is settled later if Redis is lost after the mint, with one event', async () => {
  await using test = await setUp('Redis')
  const { receipt } = await mintToken(test.one)
  test.network.afterMint = () => void (test.network.isLost = true)
  expect((await mintToken(test.one, { receipt, used_ms: 0 })).minutes).toBe(10)
  expect(await minutes(test.other)).toEqual([0, 20])
  test.network.isLost = false
  await test.advance(30_000)
  await expect.poll(() => minutes(test.other)).toEqual([0, 10])
  expect(test.settled()).toMatchObject([{ by: 'report', usedMs: 0 }])
})

it('a replaced token needs as many commands of Redis as one that is reported', async () => {
  await using test = await setUp('Redis')
  const { receipt } = await mintToken(test.one)
  expect(test.network.commands).toBe(1)
  await mintToken(test.one, { receipt, used_ms: 0 })
  expect(test.network.commands).toBe(3)
})

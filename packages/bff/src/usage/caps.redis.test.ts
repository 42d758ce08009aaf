import { Problem, SessionTokenResponse, UsageResponse } from '@stagepass/contract/schemas'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import type { Grant, RedisEval } from '../index.js'
import { type Place, startTwo } from '../twoInstances.test.kit.js'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const JANUARY_30 = Date.parse('2030-01-30T12:00:00Z')

/** Two instances on one Redis, or one in memory. */
async function setUp(kind: Place) {
  let passedMs = 0
  const count = { calls: 0 }
  const two = await startTwo(kind, (clock, redis) => {
    const counted: RedisEval | undefined =
      redis &&
      ((script, keys, args) => {
        if (keys.some((key) => key.includes(':usage:'))) count.calls += 1
        return redis(script, keys, args)
      })
    return startStack({
      bff: {
        redis: counted,
        userSecret: 'a secret that all of the instances have',
        limits: { tokensPerMinute: Infinity, meetingsPerMinute: Infinity },
        platform: { clock, wallNow: () => JANUARY_30 + passedMs, random: () => 0 },
      },
    })
  })
  const as = (stack: Stack, user: string, grant: Partial<Grant> = {}) => {
    stack.grant = { user, account: 'acme', apiKey: stack.upstream.apiKey, ...grant }
  }
  return {
    ...two,
    count,
    /** Only the date: a day has many timers. */
    advance(ms: number) {
      passedMs += ms
    },
    /** Mints for a user. Returns the receipt and the minutes, or the problem. */
    async mint(stack: Stack, user: string, grant: Partial<Grant>, replaces?: object) {
      as(stack, user, grant)
      const response = await stack.fetch('/session-token', { json: { usage_type: 'stt', replaces } })
      const answer: unknown = await response.json()
      const token = SessionTokenResponse.safeParse(answer).data
      if (!token) return { receipt: '', minutes: 0, problem: Problem.parse(answer) }
      // The clock of the emulator is the real one, so some of its milliseconds may have passed.
      const minutes = Math.round(token.expires_in_ms / MINUTE_MS)
      return { receipt: token.usage_receipt ?? '', minutes, problem: undefined }
    },
    async report(stack: Stack, user: string, receipt: string, used_ms = 0) {
      as(stack, user, { usage: {} })
      return (await stack.fetch('/usage', { json: { receipt, used_ms } })).status
    },
  }
}

const ofAccount = (minutes: object): Partial<Grant> => ({ accountUsage: minutes })

describe.each(['memory', 'Redis'] as const)('caps, counted in %s', (kind) => {
  it('all users of an account share its minutes, in every instance, and another account has its own', async () => {
    await using test = await setUp(kind)
    const grant = ofAccount({ minutesPerDay: 25 })
    expect((await test.mint(test.one, 'ada', grant)).minutes).toBe(10)
    expect((await test.mint(test.other, 'eve', grant)).minutes).toBe(10)
    const last = await test.mint(test.one, 'bob', grant)
    expect(last.minutes).toBe(5)
    const { problem } = await test.mint(test.other, 'joe', grant)
    expect(problem).toMatchObject({
      status: 403,
      error_code: 'ACCOUNT_USAGE_EXHAUSTED',
      retryable: false,
      resets_at: '2030-01-31T00:00:00.000Z',
    })
    expect((await test.mint(test.one, 'ada', { ...grant, account: 'globex' })).minutes).toBe(10)
    expect(await test.report(test.other, 'bob', last.receipt)).toBe(200)
    expect((await test.mint(test.one, 'joe', grant)).minutes).toBe(5)
    expect(test.of('usage.exhausted')).toMatchObject([
      { account: 'acme', user: 'joe', of: 'account', per: 'day', limitMs: 25 * MINUTE_MS },
    ])
  })

  it('a month is that of UTC: it has the minutes of each of its days, and the next begins at zero', async () => {
    await using test = await setUp(kind)
    const grant = { usage: { minutesPerMonth: 15 } }
    expect((await test.mint(test.one, 'ada', grant)).minutes).toBe(10)
    test.advance(DAY_MS)
    expect((await test.mint(test.other, 'ada', grant)).minutes).toBe(5)
    const { problem } = await test.mint(test.one, 'ada', grant)
    expect(problem).toMatchObject({
      error_code: 'USAGE_EXHAUSTED',
      resets_at: '2030-02-01T00:00:00.000Z',
    })
    expect((await test.mint(test.one, 'eve', grant)).minutes).toBe(10)
    const { usage } = UsageResponse.parse(await (await test.one.fetch('/usage')).json())
    expect(usage.stt).toMatchObject({ limit_ms: null, month_left_ms: 5 * MINUTE_MS })
    test.advance(DAY_MS)
    expect((await test.mint(test.other, 'ada', grant)).minutes).toBe(10)
  })

  it('a token that replaces another one takes over its minutes in every sum, also after midnight', async () => {
    await using test = await setUp(kind)
    const grant = {
      usage: { minutesPerDay: 10, minutesPerMonth: 10 },
      accountUsage: { minutesPerDay: 10, minutesPerMonth: 10 },
    }
    let token = await test.mint(test.one, 'ada', grant)
    for (const instance of [test.other, test.one, test.other]) {
      token = await test.mint(instance, 'ada', grant, { receipt: token.receipt, used_ms: 0 })
      expect(token.minutes).toBe(10)
    }
    expect((await test.mint(test.one, 'ada', grant)).problem?.error_code).toBe('ACCOUNT_USAGE_EXHAUSTED')
    expect(await test.report(test.one, 'ada', token.receipt)).toBe(200)
    test.advance(DAY_MS / 2 - 5 * MINUTE_MS)
    token = await test.mint(test.one, 'ada', grant)
    test.advance(6 * MINUTE_MS)
    // The day is another one, but the month has no further minutes.
    expect((await test.mint(test.one, 'ada', grant)).minutes).toBe(0)
    const next = await test.mint(test.other, 'ada', grant, { receipt: token.receipt, used_ms: 0 })
    expect(next.minutes).toBe(10)
  })

  it('an event for 80 and for 100 % of each limit, once over all instances', async () => {
    await using test = await setUp(kind)
    const grant = ofAccount({ minutesPerDay: 30, minutesPerMonth: 1_000 })
    const tokens = [await test.mint(test.one, 'ada', grant), await test.mint(test.other, 'eve', grant)]
    expect(test.of('usage.threshold')).toEqual([])
    const half = await test.mint(test.one, 'bob', { ...grant, maxTtlMinutes: 5 })
    const reached = { account: 'acme', of: 'account', per: 'day', limitMs: 30 * MINUTE_MS, product: 'stt' }
    expect(test.of('usage.threshold')).toMatchObject([{ ...reached, percent: 80, user: 'bob' }])
    // What is given back and used again is no new event.
    expect(await test.report(test.one, 'bob', half.receipt)).toBe(200)
    await test.mint(test.other, 'bob', { ...grant, maxTtlMinutes: 5 })
    expect(test.of('usage.threshold')).toHaveLength(1)
    await test.mint(test.one, 'joe', grant)
    for (let turn = 0; turn < 3; turn++) await test.mint(test.other, 'joe', grant)
    expect(test.of('usage.threshold').slice(1)).toMatchObject([{ ...reached, percent: 100, user: 'joe' }])
    expect(tokens.map(({ minutes }) => minutes)).toEqual([10, 10])
  })

  it('a cap that was raised has events of its own', async () => {
    await using test = await setUp(kind)
    const percents = () =>
      test
        .of('usage.threshold')
        .flatMap((event) =>
          event.type === 'usage.threshold' ? [[event.percent, event.limitMs / MINUTE_MS]] : [],
        )
    const mint = (minutesPerDay: number) => test.mint(test.one, 'ada', ofAccount({ minutesPerDay }))
    for (let turn = 0; turn < 4; turn++) await mint(30)
    expect(percents()).toEqual([[100, 30]])
    for (let turn = 0; turn < 4; turn++) await mint(60)
    expect(percents()).toEqual([
      [100, 30],
      [80, 60],
      [100, 60],
    ])
    // Another user's grant still has the cap from before.
    await mint(30)
    expect(percents()).toHaveLength(3)
  })

  it('bff.usage has the minutes of one account by day and product, for a bill', async () => {
    await using test = await setUp(kind)
    const grant = { usage: {} }
    const used = await test.mint(test.one, 'ada', { ...grant, maxTtlMinutes: 10 })
    await test.mint(test.other, 'eve', { ...grant, maxTtlMinutes: 20 })
    await test.mint(test.other, 'eve', { ...grant, account: 'globex', maxTtlMinutes: 7 })
    expect(await test.report(test.other, 'ada', used.receipt, 0)).toBe(200)
    test.advance(2 * DAY_MS)
    await test.mint(test.one, 'ada', { ...grant, maxTtlMinutes: 5 })
    const read = (account: string, from = '2030-01-01', to = '2030-12-31') =>
      test.other.bff.usage({ account, from, to })
    expect(await read('acme')).toEqual([
      { day: '2030-01-30', product: 'stt', usedMs: 20 * MINUTE_MS },
      { day: '2030-02-01', product: 'stt', usedMs: 5 * MINUTE_MS },
    ])
    expect(await read('acme', '2030-01-31')).toHaveLength(1)
    expect(await read('globex')).toEqual([{ day: '2030-01-30', product: 'stt', usedMs: 7 * MINUTE_MS }])
    expect(await read('nobody')).toEqual([])
    await expect(read('acme', '2030-1-1')).rejects.toThrow('Failed to read usage: "from" is not a UTC day.')
    await expect(read('acme', '2030-02-30')).rejects.toThrow('"from" is not a UTC day')
    await expect(read('acme', '2030-02-01', '2030-01-01')).rejects.toThrow('"to" is before "from"')
    await expect(read('a b')).rejects.toThrow('"account" is not the name of an account')
  })
})

it('all sums cost no more calls of Redis: one for a token, one for a report, with the read of its answer two', async () => {
  await using test = await setUp('Redis')
  const caps = { minutesPerDay: 100, minutesPerMonth: 100 }
  const { receipt } = await test.mint(test.one, 'ada', { usage: caps, accountUsage: caps })
  expect(test.count.calls).toBe(1)
  await test.report(test.one, 'ada', receipt)
  expect(test.count.calls).toBe(3)
})

it('every name in Redis has an end, and none has a user or an account', async () => {
  await using test = await setUp('Redis')
  const caps = { minutesPerDay: 10, minutesPerMonth: 10 }
  const { receipt } = await test.mint(test.one, 'ada', { usage: caps, accountUsage: caps })
  await test.report(test.one, 'ada', receipt)
  const names = (await test.client?.keys('*:usage:*')) ?? []
  expect(names.length).toBeGreaterThan(4)
  for (const name of names) {
    expect([name, await test.client?.pTTL(name)]).toEqual([name, expect.any(Number)])
    expect(Number(await test.client?.pTTL(name))).toBeGreaterThan(0)
    expect(name).not.toMatch(/ada|acme/)
  }
})

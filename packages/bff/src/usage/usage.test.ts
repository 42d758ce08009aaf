import { Problem, SessionTokenResponse, UsageResponse } from '@stagepass/contract/schemas'
import { fail } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it } from 'vitest'
import type { BffOptions, UsageGrant } from '../index.js'

const MINUTE_MS = 60_000
const NOON = Date.parse('2030-01-01T12:00:00Z')
const MIDNIGHT = '2030-01-02T00:00:00.000Z'

async function setUp(usage: UsageGrant | undefined = { minutesPerDay: 20 }, bff: Partial<BffOptions> = {}) {
  const clock = virtualClock()
  const startMs = clock.now()
  /** A step of the wall clock. */
  const step = { ms: 0 }
  const wallNow = () => NOON + clock.now() - startMs + step.ms
  const stack = await startStack({ bff: { ...bff, platform: { clock, wallNow, random: () => 0 } } })
  stack.grant = { user: 'ada', usage }
  const mint = async (body: object = {}) => {
    const response = await stack.fetch('/session-token', { json: { usage_type: 'stt', ...body } })
    if (response.status === 200) return SessionTokenResponse.parse(await response.json())
    return Problem.parse(await response.json())
  }
  const mintToken = async (body?: object) => SessionTokenResponse.parse(await mint(body))
  const report = async (receipt: string | undefined, used_ms: number) =>
    (await stack.fetch('/usage', { json: { receipt, used_ms } })).status
  const read = async () => UsageResponse.parse(await (await stack.fetch('/usage')).json()).usage
  const minutes = async () => {
    const { stt } = await read()
    return stt && [stt.used_ms / MINUTE_MS, stt.reserved_ms / MINUTE_MS]
  }
  const settled = () => stack.events.filter(({ type }) => type === 'usage.settled')
  return {
    stack,
    clock,
    step,
    mint,
    mintToken,
    report,
    read,
    minutes,
    settled,
    [Symbol.asyncDispose]: () => stack.close(),
  }
}

const ttlOf = (stack: Stack): unknown => {
  const body = stack.upstream.requests.at(-1)?.body
  return (typeof body === 'string' ? JSON.parse(body) : body)?.expiration_ttl
}

describe('without usage in the grant', () => {
  it('nothing changes: no receipt, no shorter lifetime, no usage', async () => {
    await using test = await setUp(undefined)
    test.stack.grant = { user: 'ada' }
    const token = await test.mintToken()
    expect(Object.keys(token)).not.toContain('usage_receipt')
    expect(token.expires_in_ms).toBeGreaterThan(179 * MINUTE_MS)
    expect(ttlOf(test.stack)).toBeUndefined()
    expect(await test.read()).toEqual({})
    expect(await test.report('stt.x', 0)).toBe(400)
    expect(test.stack.events.filter(({ type }) => type.startsWith('usage.'))).toEqual([])
  })
})

describe('a token', () => {
  it('reserves its whole lifetime, ten minutes by default, and later the remaining minutes', async () => {
    await using test = await setUp({ minutesPerDay: 17 })
    expect((await test.mintToken()).expires_in_ms).toBe(10 * MINUTE_MS)
    expect(await test.minutes()).toEqual([0, 10])
    expect((await test.mintToken()).expires_in_ms).toBe(7 * MINUTE_MS)
    expect(ttlOf(test.stack)).toBe(7)
    expect(await test.minutes()).toEqual([0, 17])
  })

  it('for a user with fewer minutes left than the shortest token needs is refused, and not retryable', async () => {
    await using test = await setUp({ minutesPerDay: 14 })
    await test.mintToken()
    const refused = { error_code: 'USAGE_EXHAUSTED', status: 403, retryable: false, resets_at: MIDNIGHT }
    expect(await test.mint()).toMatchObject(refused)
    expect(test.stack.upstream.requests).toHaveLength(1)
    expect(test.stack.events).toContainEqual(
      expect.objectContaining({
        type: 'usage.exhausted',
        user: 'ada',
        product: 'stt',
        limitMs: 14 * MINUTE_MS,
        resetsAtMs: Date.parse(MIDNIGHT),
      }),
    )
    expect(await test.minutes()).toEqual([0, 10])
  })

  it('has the lifetime of the grant', async () => {
    await using test = await setUp({ minutesPerDay: 60 })
    test.stack.grant = { user: 'ada', maxTtlMinutes: 30, usage: { minutesPerDay: 60 } }
    expect((await test.mintToken({ expiration_ttl: 45 })).expires_in_ms).toBe(30 * MINUTE_MS)
  })

  it('of a product without a limit is counted', async () => {
    await using test = await setUp({ minutesPerDay: { vt: 20 } })
    const token = await test.mintToken()
    expect(token.expires_in_ms).toBe(180 * MINUTE_MS)
    expect(await test.read()).toMatchObject({
      stt: { used_ms: 0, reserved_ms: 180 * MINUTE_MS, limit_ms: null },
      vt: { used_ms: 0, reserved_ms: 0, limit_ms: 20 * MINUTE_MS, resets_at: MIDNIGHT },
    })
    await test.clock.advance(MINUTE_MS)
    expect(await test.report(token.usage_receipt, 1_000)).toBe(200)
    expect((await test.read()).stt).toMatchObject({ used_ms: 1_000, reserved_ms: 0 })
  })

  it('that is not minted uses no minutes', async () => {
    await using test = await setUp()
    test.stack.upstream.use(fail('PAYMENT_PAST_DUE', { times: 1 }))
    expect(await test.mint()).toMatchObject({ error_code: 'PAYMENT_PAST_DUE' })
    expect(await test.minutes()).toEqual([0, 0])
  })

  it('that was minted after the host has sent its own response uses no minutes', async () => {
    let answer: (() => void) | undefined
    await using test = await setUp(undefined, {
      onEvent: ({ type }) => void (type === 'upstream.called' && answer?.()),
    })
    const remove = test.stack.intercept((_req, res, next) => {
      answer = () => void res.status(401).json({})
      next()
    })
    expect((await test.stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status).toBe(401)
    remove()
    expect(test.stack.upstream.requests).toHaveLength(1)
    await expect.poll(test.minutes).toEqual([0, 0])
    await test.clock.advance(20 * MINUTE_MS)
    expect(test.settled()).toEqual([])
  })

  it('two tabs at once share what is left, and not more', async () => {
    await using test = await setUp({ minutesPerDay: 27 })
    const all = await Promise.all(Array.from({ length: 8 }, () => test.mint()))
    const lives = all.flatMap((one) => ('expires_in_ms' in one ? one.expires_in_ms / MINUTE_MS : []))
    expect(lives.toSorted((a, b) => b - a)).toEqual([10, 10, 7])
  })
})

describe('a report', () => {
  it('S44 refunds unused minutes, once', async () => {
    await using test = await setUp()
    const { usage_receipt } = await test.mintToken()
    await test.clock.advance(3 * MINUTE_MS)
    expect(await test.report(usage_receipt, 2 * MINUTE_MS)).toBe(200)
    expect(await test.minutes()).toEqual([2, 0])
    expect(test.settled()).toEqual([
      {
        type: 'usage.settled',
        user: 'ada',
        product: 'stt',
        usedMs: 2 * MINUTE_MS,
        reservedMs: 10 * MINUTE_MS,
        by: 'report',
      },
    ])
    expect(await test.report(usage_receipt, 0)).toBe(400)
    expect(await test.minutes()).toEqual([2, 0])
    expect(test.settled()).toHaveLength(1)
  })

  it('S44 with a receipt that is changed, of another user or of another instance has no effect', async () => {
    await using test = await setUp()
    const { usage_receipt = '' } = await test.mintToken()
    for (let at = 0; at < usage_receipt.length; at++) {
      const other = usage_receipt[at] === '7' ? '8' : '7'
      expect(await test.report(usage_receipt.slice(0, at) + other + usage_receipt.slice(at + 1), 0)).toBe(400)
    }
    for (const cut of ['', '.', usage_receipt.slice(0, -1), `${usage_receipt}.`, `.${usage_receipt}`])
      expect(await test.report(cut, 0)).toBe(400)
    test.stack.grant = { user: 'eve', usage: { minutesPerDay: 20 } }
    expect(await test.report(usage_receipt, 0)).toBe(400)
    test.stack.grant = { user: 'ada', usage: { minutesPerDay: 20 } }
    expect(await test.minutes()).toEqual([0, 10])
    expect(test.settled()).toEqual([])
    await test.stack.remount()
    expect(await test.report(usage_receipt, 0)).toBe(400)
  })

  it("S45 that is missing, or later than a minute after the token's end, refunds nothing", async () => {
    await using test = await setUp()
    const { usage_receipt } = await test.mintToken()
    await test.clock.advance(10 * MINUTE_MS)
    expect(await test.minutes()).toEqual([0, 10])
    await test.clock.advance(1.5 * MINUTE_MS)
    expect(await test.report(usage_receipt, 0)).toBe(400)
    expect(await test.minutes()).toEqual([10, 0])
    expect(test.settled()).toMatchObject([{ by: 'expiry', usedMs: 10 * MINUTE_MS }])
  })

  it.each([
    ['more than was reserved', 9, 99 * MINUTE_MS, 9],
    ['more than the time since the mint', 3, 8 * MINUTE_MS, 3],
    ['all that was reserved, after its end', 10.5, 10.5 * MINUTE_MS, 10],
  ])('S45 of %s is cut', async (_what, afterMinutes, usedMs, expected) => {
    await using test = await setUp()
    const { usage_receipt } = await test.mintToken()
    await test.clock.advance(afterMinutes * MINUTE_MS)
    expect(await test.report(usage_receipt, usedMs)).toBe(200)
    expect(await test.minutes()).toEqual([expected, 0])
  })

  it.each([-1, 0.5, '0', null, 1e300])('S45 of %j milliseconds is refused', async (used_ms) => {
    await using test = await setUp()
    const { usage_receipt } = await test.mintToken()
    const response = await test.stack.fetch('/usage', { json: { receipt: usage_receipt, used_ms } })
    expect(await response.json()).toMatchObject({ error_code: 'VALIDATION_ERROR', field: 'used_ms' })
    expect(await test.minutes()).toEqual([0, 10])
  })

  it('S45 a page that lies gets more minutes for its own user, and does not change the minutes of other users', async () => {
    await using test = await setUp({ minutesPerDay: 20 })
    test.stack.grant = { user: 'eve', usage: { minutesPerDay: 20 } }
    await test.mintToken()
    test.stack.grant = { user: 'ada', usage: { minutesPerDay: 20 } }
    for (let turn = 0; turn < 10; turn++) {
      const { usage_receipt } = await test.mintToken()
      expect(await test.report(usage_receipt, 0)).toBe(200)
    }
    expect(await test.minutes()).toEqual([0, 0])
    test.stack.grant = { user: 'eve', usage: { minutesPerDay: 20 } }
    expect(await test.minutes()).toEqual([0, 10])
  })

  it('S47 is not affected by a step of the wall clock', async () => {
    for (const stepMs of [-8 * MINUTE_MS, 8 * MINUTE_MS, -86_400_000, 86_400_000]) {
      await using test = await setUp()
      const { usage_receipt } = await test.mintToken()
      await test.clock.advance(9 * MINUTE_MS)
      test.step.ms = stepMs
      expect(await test.report(usage_receipt, 8 * MINUTE_MS)).toBe(200)
      test.step.ms = 0
      expect(await test.minutes()).toEqual([8, 0])
    }
  })
})

it('S46 no log line and no span names a user of the usage events', async () => {
  const lines: unknown[] = []
  const logger = {
    warn: (...line: unknown[]) => lines.push(line),
    error: (...line: unknown[]) => lines.push(line),
  }
  await using test = await setUp({ minutesPerDay: 10 }, { logger })
  test.stack.grant = { user: 'zoë@example.com', usage: { minutesPerDay: 10 } }
  const { usage_receipt } = await test.mintToken()
  await test.report(usage_receipt, 0)
  await test.mintToken()
  await test.mint()
  expect(JSON.stringify(lines)).not.toContain('zoë')
  expect(usage_receipt).not.toContain('zoë')
})

it('a report after midnight counts for the day of the token, and the next day begins at zero', async () => {
  await using test = await setUp()
  await test.clock.advance(12 * 3_600_000 - 2 * MINUTE_MS)
  const { usage_receipt } = await test.mintToken()
  await test.clock.advance(4 * MINUTE_MS)
  expect(await test.minutes()).toEqual([0, 0])
  expect(await test.report(usage_receipt, MINUTE_MS)).toBe(200)
  expect(await test.minutes()).toEqual([0, 0])
  test.step.ms = -10 * MINUTE_MS
  expect(await test.minutes()).toEqual([1, 0])
})

describe('S54 the routes of usage have a limit', () => {
  it('S54 a read and a report count as meetings requests', async () => {
    await using test = await setUp(undefined, { limits: { meetingsPerMinute: 3 } })
    expect((await test.stack.fetch('/usage')).status).toBe(200)
    expect(await test.report('none', 0)).toBe(400)
    expect((await test.stack.fetch('/usage')).status).toBe(200)
    expect(await test.report('none', 0)).toBe(429)
    const refused = await test.stack.fetch('/usage')
    expect(await refused.json()).toMatchObject({ error_code: 'RATE_LIMITED', status: 429 })
    test.stack.grant = { user: 'ben' }
    expect((await test.stack.fetch('/usage')).status).toBe(200)
  })
})

import { encodeText } from '@stagepass/contract'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it } from 'vitest'
import { systemPlatform } from '../base/platform.js'
import type { BffError } from '../base/BffError.js'
import { userKey } from '../grant/userKey.js'
import type { BffEvent } from '../telemetry/events.js'
import { createBreaker } from './createBreaker.js'
import { createUsage, type ReservationRequest } from './createUsage.js'
import { createUsageStore } from './createUsageStore.js'
import type { UsageStore } from './UsageStore.js'
import { type Limits, NO_LIMITS, REPORT_GRACE_MS } from './usageRules.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** An hour before midnight, two days before the end of the month. */
const EVENING = Date.parse('2030-01-30T23:00:00Z')
const LOST = new Error('Socket closed unexpectedly')
const REFUSED = new Error('NOPERM this user has no permissions')

type Called = 'reserve' | 'settle' | 'cancel'

/** A store whose calls fail as `network` says. */
function start() {
  const clock = virtualClock()
  const truth = createUsageStore({ redis: undefined, account: 'main', clock })
  const network = {
    failure: undefined as Error | undefined,
    /** The calls that fail. */
    of: ['reserve', 'settle', 'cancel'] as readonly Called[],
    /** True if they have done their work before they fail. */
    isDone: false,
    calls: 0,
  }
  const through =
    <TGiven extends unknown[], TValue>(name: Called, call: (...given: TGiven) => Promise<TValue>) =>
    async (...given: TGiven): Promise<TValue> => {
      network.calls += 1
      const failure = network.of.includes(name) ? network.failure : undefined
      if (failure && !network.isDone) throw failure
      const value = await call(...given)
      if (failure) throw failure
      return value
    }
  const events: BffEvent[] = []
  const usage = createUsage({
    store: {
      ...truth,
      reserve: through('reserve', (...given: Parameters<UsageStore['reserve']>) => truth.reserve(...given)),
      settle: through('settle', (...given: Parameters<UsageStore['settle']>) => truth.settle(...given)),
      cancel: through('cancel', (...given: Parameters<UsageStore['cancel']>) => truth.cancel(...given)),
    },
    breaker: createBreaker(clock, 750),
    secret: 'a secret of thirty-two characters',
    userName: userKey,
    platform: { ...systemPlatform, clock, wallNow: () => EVENING + clock.now() - 1_000_000 },
    emit: (event) => void events.push(event),
  })
  /** Reserves ten minutes. Returns the reservation, or the code of the error. */
  const reserve = (limits: Partial<Limits> = {}, more: Partial<ReservationRequest> = {}) =>
    usage
      .reserve({
        requestId: 'r',
        user: 'ada',
        account: 'acme',
        product: 'stt',
        minutes: 10,
        limits: { ...NO_LIMITS, ...limits },
        ...more,
      })
      .catch((error: BffError) => error)
  const codeOf = async (...given: Parameters<typeof reserve>): Promise<unknown> => {
    const result = await reserve(...given)
    return result instanceof Error ? result.code : 'fine'
  }
  const mint = async (...given: Parameters<typeof reserve>) => {
    const result = await reserve(...given)
    if (result === undefined || result instanceof Error) throw new Error('There is no reservation.')
    return { reservation: result, receipt: await usage.keep(result) }
  }
  return {
    clock,
    network,
    usage,
    reserve,
    codeOf,
    mint,
    settled: () => events.filter((event) => event.type === 'usage.settled'),
    /** The minutes of Ada, as they are. */
    taken: async () => {
      const account = encodeText(userKey({ user: '', account: 'acme' }))
      const ada = userKey({ user: 'ada', account: 'acme' })
      const [sums] = await truth.read([`2030-01-30:stt:${account}:${ada}`])
      return (sums?.taken ?? 0) / MINUTE_MS
    },
  }
}

const [TEN, LESS] = [10 * MINUTE_MS, 14 * MINUTE_MS]

describe('which limit is named', () => {
  it.each([
    [['user day'], 'USAGE_EXHAUSTED', '2030-01-31'],
    [['user month'], 'USAGE_EXHAUSTED', '2030-02-01'],
    [['user day', 'user month'], 'USAGE_EXHAUSTED', '2030-02-01'],
    [['account day'], 'ACCOUNT_USAGE_EXHAUSTED', '2030-01-31'],
    [['user month', 'account day'], 'ACCOUNT_USAGE_EXHAUSTED', '2030-01-31'],
    [['user day', 'account month'], 'ACCOUNT_USAGE_EXHAUSTED', '2030-02-01'],
  ] as const)('of %j', async (sums, code, resetsAt) => {
    const { mint, reserve } = start()
    const limits = Object.fromEntries(sums.map((sum) => [sum, LESS]))
    await mint(limits)
    expect(await reserve(limits)).toMatchObject({
      code,
      details: { resetsAtMs: Date.parse(`${resetsAt}T00:00:00Z`) },
    })
  })
})

describe('minutes that a refund will give back', () => {
  it.each([
    ['of the user', { 'user day': LESS }, {}, 'USAGE_UNAVAILABLE'],
    ['of another user', { 'user day': LESS }, { user: 'bob' }, 'USAGE_EXHAUSTED'],
    ['of another user of the account', { 'account day': LESS }, { user: 'bob' }, 'USAGE_UNAVAILABLE'],
    ['of another account', { 'account day': LESS }, { account: 'bolt' }, 'ACCOUNT_USAGE_EXHAUSTED'],
    [
      'of the user, whose account has none left',
      { 'user day': LESS, 'account day': LESS },
      {},
      'USAGE_UNAVAILABLE',
    ],
  ] as const)('S47 %s', async (_name, limits, of, code) => {
    const { network, usage, mint, codeOf } = start()
    const { reservation } = await mint({}, of)
    if ('user' in of || 'account' in of) await mint()
    // A refusal leaves the breaker closed.
    Object.assign(network, { failure: REFUSED, of: ['cancel'] })
    await usage.release(reservation)
    expect(await codeOf(limits)).toBe(code)
  })
})

describe('a call of the store that fails', () => {
  it('S47 is taken back if it may have been done, and not if it was refused or not sent', async () => {
    const { clock, network, reserve, taken } = start()
    network.failure = REFUSED
    await reserve()
    expect([await taken(), network.calls]).toEqual([0, 1])
    Object.assign(network, { failure: LOST, isDone: true })
    await reserve()
    // The breaker sends nothing now, neither what takes it back nor another reservation.
    await reserve()
    expect([await taken(), network.calls]).toEqual([10, 2])
    network.failure = undefined
    await clock.advance(5_000)
    expect([await taken(), network.calls]).toEqual([0, 3])
  })

  it('S55 is forgotten after ten seconds without another one', async () => {
    const { clock, network, usage, codeOf } = start()
    network.failure = LOST
    expect(await codeOf({ 'user day': TEN })).toBe('USAGE_UNAVAILABLE')
    expect(usage.isDegraded()).toBe(false)
    expect(await codeOf({ 'user day': TEN }, { user: 'bob' })).toBe('USAGE_UNAVAILABLE')
    expect(usage.isDegraded()).toBe(true)
    clock.jump(9_999)
    expect(usage.isDegraded()).toBe(true)
    clock.jump(1)
    expect(usage.isDegraded()).toBe(false)
  })

  it('without a limit gives a token that is not counted', async () => {
    const { network, reserve } = start()
    network.failure = LOST
    expect(await reserve()).toBeUndefined()
  })
})

describe('a token without a report', () => {
  it('S45 is settled once with its whole life, a minute after its end, also after an outage', async () => {
    const { clock, network, mint, settled } = start()
    await mint()
    await clock.advance(TEN + REPORT_GRACE_MS - 1_000)
    expect(settled()).toEqual([])
    network.failure = LOST
    await clock.advance(2 * MINUTE_MS)
    expect(settled()).toEqual([])
    network.failure = undefined
    await clock.advance(MINUTE_MS)
    expect(settled()).toMatchObject([{ user: 'ada', usedMs: TEN, by: 'expiry' }])
    await clock.advance(HOUR_MS)
    expect(settled()).toHaveLength(1)
    expect(clock.timers).toBe(0)
  })

  it('S47 is not settled if no page has received it, or if its process has ended', async () => {
    const { clock, usage, mint, settled } = start()
    const { reservation } = await mint()
    await usage.release(reservation)
    await mint()
    await usage.close()
    await clock.advance(HOUR_MS)
    expect(settled()).toEqual([])
    expect(clock.timers).toBe(0)
    // A token that is minted during the close leaves no timer either.
    await mint()
    expect(clock.timers).toBe(0)
  })
})

describe('a report', () => {
  it('S44 without an answer is repeated, and not if the store has refused it', async () => {
    for (const failure of [LOST, REFUSED]) {
      const { clock, network, usage, mint, settled } = start()
      const { receipt } = await mint()
      clock.jump(MINUTE_MS)
      network.failure = failure
      await expect(usage.report({ user: 'ada', account: 'acme' }, receipt, 1_000)).rejects.toMatchObject({
        code: 'USAGE_UNAVAILABLE',
      })
      network.failure = undefined
      await clock.advance(MINUTE_MS)
      const expected = failure === LOST ? [{ usedMs: 1_000, by: 'report' }] : []
      expect(settled()).toMatchObject(expected)
    }
  })
})

it('what a token of another month leaves is not left in this month', async () => {
  const { clock, usage, mint, codeOf } = start()
  const user = { user: 'ada', account: 'acme' }
  clock.jump(24.95 * HOUR_MS)
  const { receipt } = await mint()
  clock.jump(0.1 * HOUR_MS)
  const replaced = await usage.readReplaced(user, 'stt', { receipt, used_ms: 0 })
  expect(replaced).toBeDefined()
  await mint({ 'user month': TEN })
  expect(await codeOf({ 'user month': TEN }, { replaced })).toBe('USAGE_EXHAUSTED')
  // A receipt of another product, or none of ours, replaces no token.
  expect(await usage.readReplaced(user, 'tts', { receipt, used_ms: 0 })).toBeUndefined()
  expect(await usage.readReplaced(user, 'stt', { receipt: 'x', used_ms: 0 })).toBeUndefined()
})

it('S69 the minutes of the users of an account that is dropped begin at zero', async () => {
  const { usage, mint, codeOf } = start()
  await mint()
  await mint({}, { account: 'bolt' })
  await usage.drop('acme')
  expect(await codeOf({ 'user day': TEN })).toBe('fine')
  expect(await codeOf({ 'user day': TEN }, { account: 'bolt' })).toBe('USAGE_EXHAUSTED')
})

it('a bill has no line for a day on which nothing was used', async () => {
  const { usage, mint } = start()
  const { reservation } = await mint()
  await usage.release(reservation)
  expect(await usage.ofAccount('acme', ['2030-01', '2029-12'])).toEqual([])
  await mint()
  expect(await usage.ofAccount('acme', ['2030-01'])).toEqual([
    { day: '2030-01-30', product: 'stt', usedMs: TEN },
  ])
})

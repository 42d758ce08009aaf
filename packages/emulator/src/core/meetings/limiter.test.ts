import { describe, expect, it } from 'vitest'
import { getMeetings } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import type { LimiterKind } from './limiter.js'
import { createLimiter } from './limiter.js'

/** Takes at each of these times; tells how many passed. */
function passed(kind: LimiterKind, times: readonly number[], countsRefused = false): number {
  const limiter = createLimiter(kind, countsRefused)
  return times.filter((timeMs) => limiter.take(timeMs) === undefined).length
}

const at = (timeMs: number, count: number): number[] => Array.from({ length: count }, () => timeMs)

describe('sliding', () => {
  it('lets 25 pass in any 5 s', () => {
    expect(passed('sliding', at(0, 30))).toBe(25)
    expect(passed('sliding', [...at(4_000, 25), ...at(8_999, 1)])).toBe(25)
    expect(passed('sliding', [...at(4_000, 25), ...at(9_000, 30)])).toBe(50)
  })

  it('frees each slot 5 s after its own request', () => {
    expect(passed('sliding', [...at(0, 20), ...at(3_000, 5), ...at(5_000, 25)])).toBe(45)
  })
})

describe('fixed', () => {
  it('lets 25 pass in each 5 s of the clock, and so 50 around a boundary', () => {
    expect(passed('fixed', [...at(4_999, 30), ...at(5_000, 30)])).toBe(50)
    expect(passed('fixed', [...at(5_000, 30), ...at(9_999, 30)])).toBe(25)
  })
})

describe('bucket', () => {
  it('lets a burst of 25 pass, then 5 a second', () => {
    expect(passed('bucket', at(0, 30))).toBe(25)
    expect(passed('bucket', [...at(0, 25), ...at(199, 1), ...at(200, 1), ...at(1_200, 9)])).toBe(25 + 1 + 5)
  })

  it('never holds more than 25', () => {
    expect(passed('bucket', at(3_600_000, 30))).toBe(25)
  })
})

describe('strict', () => {
  it('lets 5 pass in any second', () => {
    expect(passed('strict', at(0, 30))).toBe(5)
    expect(passed('strict', [...at(900, 5), ...at(1_899, 5), ...at(1_900, 6)])).toBe(10)
  })

  it('lets 25 pass in any 5 s', () => {
    const perSecond = [0, 1_000, 2_000, 3_000, 4_000].flatMap((timeMs) => at(timeMs, 5))
    expect(passed('strict', [...perSecond, ...at(4_999, 5)])).toBe(25)
    expect(passed('strict', [...perSecond, ...at(5_000, 5)])).toBe(30)
  })
})

describe('refused requests', () => {
  const hammering = [...at(0, 25), ...at(2_500, 25), ...at(5_000, 25)]

  it('do not count by default', () => {
    expect(passed('sliding', hammering)).toBe(50)
    expect(passed('strict', [...at(0, 10), ...at(999, 10), ...at(1_000, 5)])).toBe(10)
    expect(passed('bucket', [...at(0, 30), ...at(1_000, 5)])).toBe(30)
  })

  it('count where it is so chosen', () => {
    expect(passed('sliding', hammering, true)).toBe(25)
    expect(passed('strict', [...at(0, 10), ...at(999, 10), ...at(1_000, 5)], true)).toBe(5)
    expect(passed('bucket', [...at(0, 25), ...at(190, 1), ...at(200, 1)], true)).toBe(25)
    expect(passed('fixed', hammering, true)).toBe(50)
  })
})

it.each([
  ['sliding', 5_000],
  ['fixed', 5_000],
  ['bucket', 200],
  ['strict', 1_000],
] as const)('%s says how long to wait: %i ms after a burst', (kind, waitMs) => {
  const limiter = createLimiter(kind, false)
  let wait: number | undefined
  while (wait === undefined) wait = limiter.take(0)
  expect(wait).toBe(waitMs)
  expect(limiter.take(wait - 1)).toBeDefined()
  expect(limiter.take(wait)).toBeUndefined()
})

describe('over HTTP', () => {
  it.each([
    ['sliding', 25],
    ['fixed', 25],
    ['bucket', 25],
    ['strict', 5],
  ] as const)('%s: %i at once, then 429, and room again 5 s later', async (limiter, burst) => {
    await using upstream = await createEmulator({ limiter, now: () => 0 })
    const statuses: number[] = []
    for (let request = 0; request < burst + 3; request += 1) {
      statuses.push((await getMeetings(upstream, '/tags')).status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(burst)
    expect(statuses.slice(burst)).toEqual([429, 429, 429])
    upstream.clock.advance(5_000)
    expect(await getMeetings(upstream, '/tags')).toMatchObject({ status: 200 })
  })

  it('a 429 carries Retry-After, in seconds rounded up, only under retryAfter', async () => {
    for (const retryAfter of [false, true]) {
      await using upstream = await createEmulator({ retryAfter, limiter: 'strict', now: () => 0 })
      for (let request = 0; request < 5; request += 1) await getMeetings(upstream, '/tags')
      upstream.clock.advance(1)
      const { headers } = await getMeetings(upstream, '/tags')
      expect(headers.get('retry-after')).toBe(retryAfter ? '1' : null)
    }
  })

  it('limiterCountsRefused keeps a hammering client out', async () => {
    await using upstream = await createEmulator({ limiterCountsRefused: true, now: () => 0 })
    for (let request = 0; request < 25; request += 1) await getMeetings(upstream, '/tags')
    upstream.clock.advance(4_999)
    for (let request = 0; request < 25; request += 1) await getMeetings(upstream, '/tags')
    upstream.clock.advance(1)
    expect(await getMeetings(upstream, '/tags')).toMatchObject({ status: 429 })
  })
})

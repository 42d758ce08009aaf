import { describe, expect, it } from 'vitest'
import { getMeetings, listIds, listMeetings } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { createLimiter, type LimiterKind } from './limiter.js'

const at = (timeMs: number, count: number): number[] => Array.from({ length: count }, () => timeMs)

const perSecond = [0, 1_000, 2_000, 3_000, 4_000].flatMap((timeMs) => at(timeMs, 5))
const hammering = [...at(0, 25), ...at(2_500, 25), ...at(5_000, 25)]

it.each<[LimiterKind, what: string, times: number[], passing: number, countsRefused?: boolean]>([
  ['sliding', '25 in any 5 s', at(0, 30), 25],
  ['sliding', '25 in any 5 s, to its last millisecond', [...at(4_000, 25), ...at(8_999, 1)], 25],
  ['sliding', '25 in any 5 s, and no longer', [...at(4_000, 25), ...at(9_000, 30)], 50],
  ['sliding', 'each slot 5 s after its own request', [...at(0, 20), ...at(3_000, 5), ...at(5_000, 25)], 45],
  ['fixed', '50 around a boundary of the clock', [...at(4_999, 30), ...at(5_000, 30)], 50],
  ['fixed', '25 in each 5 s of the clock', [...at(5_000, 30), ...at(9_999, 30)], 25],
  ['bucket', '25 at once', at(0, 30), 25],
  ['bucket', 'then 5 a second', [...at(0, 25), ...at(199, 1), ...at(200, 1), ...at(1_200, 9)], 25 + 1 + 5],
  ['bucket', 'never more than 25', at(3_600_000, 30), 25],
  ['strict', '5 in any second', at(0, 30), 5],
  [
    'strict',
    '5 in any second, to its last millisecond',
    [...at(900, 5), ...at(1_899, 5), ...at(1_900, 6)],
    10,
  ],
  ['strict', '25 in any 5 s', [...perSecond, ...at(4_999, 5)], 25],
  ['strict', '25 in any 5 s, and no longer', [...perSecond, ...at(5_000, 5)], 30],
  ['sliding', 'without refused ones', hammering, 50],
  ['strict', 'without refused ones', [...at(0, 10), ...at(999, 10), ...at(1_000, 5)], 10],
  ['bucket', 'without refused ones', [...at(0, 30), ...at(1_000, 5)], 30],
  ['sliding', 'with refused ones', hammering, 25, true],
  ['strict', 'with refused ones', [...at(0, 10), ...at(999, 10), ...at(1_000, 5)], 5, true],
  ['bucket', 'with refused ones', [...at(0, 25), ...at(190, 1), ...at(200, 1)], 25, true],
  ['fixed', 'with refused ones', hammering, 50, true],
])('%s lets pass: %s', (kind, _what, times, passing, countsRefused = false) => {
  const limiter = createLimiter(kind, countsRefused)
  expect(times.filter((timeMs) => limiter.take(timeMs) === undefined)).toHaveLength(passing)
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

describe('Contract: "Rate limit", over HTTP', () => {
  it('Request rate: counted per account and shared across all its keys; excess returns 429', async () => {
    await using upstream = await createEmulator({
      now: () => 0,
      credentials: [{ credential: 'third', holder: 'other' }],
    })
    const { main, second, other } = upstream.credentials
    for (let round = 0; round < 8; round += 1) {
      for (const credential of [main, second, 'third']) await listMeetings(upstream, {}, credential)
    }
    expect(await getMeetings(upstream, '/meetings', main)).toMatchObject({ status: 200 })
    for (const credential of [main, second, 'third']) {
      expect(await getMeetings(upstream, '/meetings', credential)).toMatchObject({ status: 429 })
    }
    expect(await getMeetings(upstream, '/meetings', other)).toMatchObject({ status: 200 })
  })

  it('Request rate: list, single meeting and tags share it; 400, 404 and 409 count, 401 and 403 do not', async () => {
    await using upstream = await createEmulator({ now: () => 0 })
    const [id = ''] = await listIds(upstream)
    const processing = upstream.meetings.all().find((row) => row.processing)?.id ?? ''
    const paths = [
      '/tags',
      `/meetings/${id}`,
      `/meetings/${processing}`,
      '/meetings/none',
      '/meetings?fields=nope',
      '/meetings',
    ]
    for (const path of paths) {
      for (let time = 0; time < 4; time += 1) {
        expect((await getMeetings(upstream, path)).status).not.toBe(429)
        expect((await getMeetings(upstream, path, 'nobody')).status).toBe(401)
        expect((await getMeetings(upstream, path, upstream.credentials.withoutScope)).status).toBe(403)
      }
    }
    for (const path of paths) expect((await getMeetings(upstream, path)).status).toBe(429)
  })

  it('a 429 has a Retry-After, in seconds rounded up, only with retryAfter', async () => {
    for (const retryAfter of [false, true]) {
      await using upstream = await createEmulator({ retryAfter, limiter: 'strict', now: () => 0 })
      for (let request = 0; request < 5; request += 1) await getMeetings(upstream, '/tags')
      upstream.clock.advance(1)
      const { headers } = await getMeetings(upstream, '/tags')
      expect(headers.get('retry-after')).toBe(retryAfter ? '1' : null)
    }
  })

  it('limiterCountsRefused refuses a client that does not pause', async () => {
    await using upstream = await createEmulator({ limiterCountsRefused: true, now: () => 0 })
    for (let request = 0; request < 25; request += 1) await getMeetings(upstream, '/tags')
    upstream.clock.advance(4_999)
    for (let request = 0; request < 25; request += 1) await getMeetings(upstream, '/tags')
    upstream.clock.advance(1)
    expect(await getMeetings(upstream, '/tags')).toMatchObject({ status: 429 })
  })
})

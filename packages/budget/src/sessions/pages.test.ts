import { expect, it } from 'vitest'
import { runPages, type Scene } from './runPages.test.kit.js'

const SIZES = [
  [12, 4],
  [30, 10],
  [200, 20],
] as const

const SCENES = SIZES.flatMap(([pages, allowed]) => [5, 60].map((holdS) => [pages, allowed, holdS] as const))

it.each(SCENES)('%i pages share %i sessions, held for %i s', async (pages, allowed, holdS) => {
  const scene = { pages, allowed, holdMs: holdS * 1_000 }
  const given = await runPages({ ...scene, options: { max: allowed } })
  expect(given).toMatchObject({ stuck: 0, refused: 0, leases: pages, mostLeased: allowed })
  const learned = await runPages(scene)
  expect(learned).toMatchObject({ stuck: 0, number: allowed })
  // Those that came before the number was known, and a few tries.
  expect(learned.refused).toBeLessThan(pages / 3 + 10)
  for (const { ratio, idleMs } of [given, learned]) {
    // Beside the ideal of a queue without any delay.
    expect(ratio).toBeLessThan(1.3)
    expect(idleMs).toBeLessThan(holdS === 60 ? 2_000 : 4_000)
  }
})

const LATER = { pages: 200, allowed: 20, holdMs: 60_000, load: 1.05 } as const

it.each<[name: string, scene: Partial<Scene>]>([
  ['crashes', { crash: 0.2 }],
  ['drops, counted for 30 s more', { drop: 0.2 }],
  ['reloads', { reload: 0.3 }],
  ['silences', { silence: 0.7 }],
  ['pages in the background', { hidden: 0.5 }],
  ['sessions that are counted for 300 ms more', { lingerMs: 300 }],
  ['all of it', { crash: 0.05, drop: 0.05, reload: 0.1, silence: 0.3, hidden: 0.2, load: 0.95 }],
])('with %s each page gets its session, and never more leases than sessions', async (_, misfortune) => {
  const given = await runPages({ ...LATER, options: { max: 20 }, ...misfortune })
  expect(given).toMatchObject({ stuck: 0, mostLeased: 20 })
  expect(given.mostRefusals).toBeLessThan(6)
  const learned = await runPages({ ...LATER, ...misfortune })
  expect(learned.stuck).toBe(0)
  // Each of them is counted for a while after it is gone, or before it is known.
  expect(learned.number).toBeGreaterThan(14)
  expect(learned.number).toBeLessThan(22)
})

it('a session of a page that crashed is free again within a lease', async () => {
  const result = await runPages({ ...LATER, options: { max: 20 }, crash: 0.2 })
  expect(result.idleMs).toBeLessThan(25_000)
})

it('a user who asks for 100 sessions delays no other user', async () => {
  const result = await runPages({
    pages: 120,
    allowed: 4,
    holdMs: 20_000,
    greedy: 100,
    options: { max: 4 },
  })
  expect(result.stuck).toBe(0)
  // 20 users, 4 sessions of 20 s: 100 s, and one session of the first user before each of them.
  expect(result.lightMs).toBeLessThan(130_000)
})

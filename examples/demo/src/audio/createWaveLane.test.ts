import { expect, it } from 'vitest'
import { BAR_MS, barAt, createWaveLane } from './createWaveLane.js'

const tone = (ms: number, loudness: number): Int16Array => new Int16Array(ms * 16).fill(loudness * 0x8000)

it('shows samples at the time at which they came', () => {
  const lane = createWaveLane()
  lane.add(tone(20, 0.5), 6_000)
  expect(lane.bar(barAt(6_000))).toBeCloseTo(0.5)
  expect(lane.bar(barAt(6_000) + 1)).toBe(0)
})

it('lays a burst out as it will be heard', () => {
  const lane = createWaveLane()
  lane.add(tone(BAR_MS, 0.25), 6_000)
  lane.add(tone(BAR_MS, 0.75), 6_000)
  expect([lane.bar(barAt(6_000)), lane.bar(barAt(6_000) + 1)]).toEqual([0.25, 0.75])
  expect(lane.endsAtMs).toBe(6_000 + 2 * BAR_MS)
})

it('forgets what is long past', () => {
  const lane = createWaveLane()
  lane.add(tone(20, 1), 0)
  lane.add(tone(20, 0.1), 256 * BAR_MS)
  expect(lane.bar(0)).toBe(0)
  expect(lane.bar(256)).toBeCloseTo(0.1)
})

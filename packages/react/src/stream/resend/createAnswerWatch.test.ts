import { expect, it } from 'vitest'
import { createAnswerWatch } from './createAnswerWatch.js'

/** A service that has answered once, after this time. */
function answering(tookMs: number, isGrowing = true) {
  const watch = createAnswerWatch()
  watch.sent(1_000, true, 0)
  watch.answered(isGrowing, tookMs)
  return watch
}

it.each([
  [300, 5_000],
  [2_500, 7_000],
  [8_000, 18_000],
  [60_000, 22_000],
])('gives a service that took %i ms the next time %i ms', (tookMs, limitMs) => {
  const watch = answering(tookMs)
  watch.sent(1_000, true, 100_000)
  expect(watch.dueAt(false)).toBe(100_000 + limitMs)
})

it('forgets a slow answer slowly', () => {
  const watch = answering(8_000)
  for (let at = 10_000; at < 200_000; at += 10_000) {
    watch.sent(1_000, true, at)
    watch.answered(true, at + 300)
  }
  expect(watch.limitMs()).toBeGreaterThan(5_000)
  expect(watch.limitMs()).toBeLessThan(16_000)
})

it('wants a second of speech, or any if no more follows', () => {
  const watch = answering(300)
  watch.sent(400, true, 10_000)
  expect(watch.dueAt(false)).toBe(Infinity)
  expect(watch.dueAt(true)).toBe(15_000)
})

it('counts from the end of an utterance if the service sends no growing texts', () => {
  const watch = answering(300, false)
  watch.sent(3_000, true, 10_000)
  expect(watch.dueAt(false)).toBe(35_000)
  watch.sent(600, false, 13_600)
  expect(watch.dueAt(false)).toBe(18_600)
})

it('doubles the limit with each doubt, up to 80 s, and halves it with each answer in time', () => {
  const watch = answering(300)
  const limits = Array.from({ length: 6 }, () => {
    watch.doubt()
    return watch.limitMs()
  })
  expect(limits).toEqual([10_000, 20_000, 40_000, 80_000, 80_000, 80_000])
  const later = Array.from({ length: 5 }, () => {
    watch.sent(1_000, true, 0)
    watch.answered(true, 300)
    return watch.limitMs()
  })
  expect(later).toEqual([40_000, 20_000, 10_000, 5_000, 5_000])
})

it('halves the limit after a second of speech that many growing texts have answered in time', () => {
  const watch = answering(300)
  watch.doubt()
  const limits = [1, 2, 3, 4].map((count) => {
    watch.sent(300, true, count * 300)
    watch.answered(true, count * 300 + 200)
    return watch.limitMs()
  })
  expect(limits).toEqual([10_000, 10_000, 10_000, 5_000])
})

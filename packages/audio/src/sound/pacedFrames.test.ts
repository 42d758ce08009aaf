import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { pacedFrames } from './pacedFrames.js'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function collect(samples: Int16Array, signal?: AbortSignal) {
  const frames: { at: number; frame: Int16Array }[] = []
  const startedAt = performance.now()
  const done = (async () => {
    for await (const frame of pacedFrames(samples, { signal })) {
      frames.push({ at: performance.now() - startedAt, frame: new Int16Array(frame) })
    }
  })()
  return { frames, done }
}

it('yields one frame of 640 bytes every 20 ms, the first at once, and pads the last with silence', async () => {
  const { frames, done } = collect(Int16Array.from({ length: 700 }, (_, i) => i + 1))
  await vi.advanceTimersByTimeAsync(100)
  await done
  expect(frames.map(({ at }) => at)).toEqual([0, 20, 40])
  expect(frames.map(({ frame }) => frame.byteLength)).toEqual([640, 640, 640])
  expect([...frames[1]!.frame.subarray(0, 2)]).toEqual([321, 322])
  expect([...frames[2]!.frame.subarray(58, 62)]).toEqual([699, 700, 0, 0])
})

it('catches up after a timer that came late', async () => {
  const times: number[] = []
  const frames = pacedFrames(new Int16Array(320 * 6))
  const startedAt = performance.now()
  await frames.next()
  // The page was busy: the clock continued, but no timer fired.
  vi.setSystemTime(Date.now() + 70)
  vi.advanceTimersByTime(70)
  for (let i = 0; i < 3; i += 1) {
    await frames.next()
    times.push(performance.now() - startedAt)
  }
  expect(times).toEqual([70, 70, 70])
})

it('ends when it is cancelled', async () => {
  const cancel = new AbortController()
  const { frames, done } = collect(new Int16Array(320 * 100), cancel.signal)
  await vi.advanceTimersByTimeAsync(40)
  cancel.abort()
  await vi.advanceTimersByTimeAsync(40)
  await done
  expect(frames).toHaveLength(3)
})

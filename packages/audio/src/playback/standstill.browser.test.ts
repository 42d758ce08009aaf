import { afterEach, expect, it, vi } from 'vitest'
import { createMicrophone } from '../index.js'
import { setup, tone } from './listen.browser.test.kit.js'

afterEach(() => void vi.unstubAllGlobals())

/** A playback that plays, and the contexts that it creates. */
async function playing(options?: Parameters<typeof setup>[0]) {
  const contexts: AudioContext[] = []
  vi.stubGlobal(
    'AudioContext',
    class extends AudioContext {
      constructor() {
        super()
        contexts.push(this)
      }
    },
  )
  const marks: unknown[] = []
  const playback = setup({ ...options, onHeard: (data, { skipped }) => marks.push([data, skipped]) })
  playback.unlock()
  playback.play(tone(440, 0.5, 1.5))
  playback.mark('end')
  await vi.waitFor(() => expect(playback.positionMs()).toBeGreaterThan(100))
  return { playback, contexts, marks }
}

it('plays to the end on another context if its own is closed', async () => {
  const { playback, contexts, marks } = await playing()
  const at = playback.positionMs()
  await contexts[0]!.close()
  await vi.waitFor(() => expect(contexts).toHaveLength(2))
  expect(playback.bufferedMs()).toBeGreaterThan(1_500 - at - 500)
  await vi.waitFor(() => expect(playback.status).toBe('idle'))
  await vi.waitFor(() => expect(marks).toEqual([['end', false]]))
  expect([playback.positionMs(), playback.counters().droppedMs]).toEqual([1_500, 0])
})

it('is blocked if its context is suspended, and plays to the end when it is unlocked', async () => {
  const { playback, contexts, marks } = await playing()
  await contexts[0]!.suspend()
  await vi.waitFor(() => expect(playback.status).toBe('blocked'))
  expect(contexts).toHaveLength(1)
  playback.unlock()
  await vi.waitFor(() => expect(playback.status).toBe('playing'))
  await vi.waitFor(() => expect(marks).toEqual([['end', false]]))
})

it('gives a stream that goes on when the context is replaced', async () => {
  const { playback, contexts } = await playing()
  const stream = playback.stream()!
  const added = vi.fn()
  stream.addEventListener('addtrack', added)
  const recorder = createMicrophone({ source: stream })
  let peak = 0
  recorder.onFrame(() => (peak = recorder.level()))
  await recorder.start()
  await vi.waitFor(() => expect(peak).toBeGreaterThan(0.3))
  const [own] = contexts
  peak = 0
  await own!.close()
  playback.play(tone(440, 0.5, 2))
  await vi.waitFor(() => expect(added).toHaveBeenCalledOnce())
  expect(playback.stream()).toBe(stream)
  expect(stream.getTracks().map(({ readyState }) => readyState)).toEqual(['live'])
  await vi.waitFor(() => expect(recorder.state.status).toBe('capturing'))
  peak = 0
  await vi.waitFor(() => expect(peak).toBeGreaterThan(0.3))
  recorder.stop()
  playback.close()
  expect(stream.getTracks().map(({ readyState }) => readyState)).toEqual(['ended'])
})

/** Says that it plays, then throws. */
const THROWS = `
registerProcessor('stagepass-playback', class extends AudioWorkletProcessor {
  blocks = 0
  process() {
    this.blocks += 1
    if (this.blocks === 40) throw new Error('out of order')
    const position = this.blocks * 100
    if (this.blocks % 8 === 1) this.port.postMessage(
      { position, playing: true, peak: 0, underruns: 0, pauses: 0, time: currentTime })
    return true
  }
})`

it('replaces a context whose worklet throws', async () => {
  const { contexts } = await playing({
    workletUrl: `data:text/javascript,${encodeURIComponent(THROWS)}`,
  })
  await vi.waitFor(() => expect(contexts.length).toBeGreaterThan(1))
})

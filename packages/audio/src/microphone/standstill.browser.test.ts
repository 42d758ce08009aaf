import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMicrophone } from '../index.js'

const microphones: ReturnType<typeof createMicrophone>[] = []

// Timers fire only where a test advances them: on a busy machine frames come late, and each watch that ends
// meanwhile opens one more context.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))

afterEach(() => {
  vi.useRealTimers()
  for (const microphone of microphones.splice(0)) microphone.stop()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** A microphone that captures, and the contexts that the package creates. */
async function capturing(options?: Parameters<typeof createMicrophone>[0]) {
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
  const asked = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const microphone = createMicrophone(options)
  microphones.push(microphone)
  const statuses: string[] = []
  let frames = 0
  microphone.onFrame(() => (frames += 1))
  microphone.subscribe(() => statuses.push(microphone.state.status))
  await microphone.start()
  expect(statuses).toEqual(['starting', 'capturing'])
  statuses.length = 0
  /** Resolves when it is true after a change or a frame. */
  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => void (isTrue() && resolve())
      microphone.subscribe(look)
      microphone.onFrame(look)
      look()
    })
  return { contexts, asked, statuses, frames: () => frames, until }
}

it.each([
  ['closed', (context: AudioContext) => context.close()],
  [
    'suspended',
    async (context: AudioContext) => {
      await context.suspend()
      vi.advanceTimersByTime(2_000)
    },
  ],
])('captures again if its context is %s, with the same device', async (_what, breakIt) => {
  const { contexts, asked, statuses, frames, until } = await capturing()
  await breakIt(contexts[0]!)
  await until(() => statuses.length === 2)
  expect(statuses).toEqual(['recovering', 'capturing'])
  const before = frames()
  await until(() => frames() > before + 10)
  expect([contexts.length, asked.mock.calls.length]).toEqual([2, 1])
  expect(contexts[0]!.state).toBe('closed')
})

/** Captures some frames, then throws. */
const THROWS = `
registerProcessor('stagepass-capture', class extends AudioWorkletProcessor {
  blocks = 0
  process() {
    this.blocks += 1
    if (this.blocks === 100) throw new Error('out of order')
    if (this.blocks % 8 === 0) this.port.postMessage({ frame: new ArrayBuffer(640), peak: 0, time: currentTime })
    return true
  }
})`

it('is recovering while its worklet throws', async () => {
  const workletUrl = `data:text/javascript,${encodeURIComponent(THROWS)}`
  const { contexts, asked, statuses, until } = await capturing({ workletUrl })
  // At once with a new context, then with the device.
  await until(() => statuses.length >= 4)
  expect(statuses.slice(0, 4)).toEqual(['recovering', 'capturing', 'recovering', 'capturing'])
  expect([contexts.length, asked.mock.calls.length]).toEqual([3, 2])
})

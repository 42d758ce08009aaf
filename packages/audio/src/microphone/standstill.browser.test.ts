import { afterEach, expect, it, vi } from 'vitest'
import { createMicrophone } from '../index.js'

const microphones: ReturnType<typeof createMicrophone>[] = []

afterEach(() => {
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
  return { microphone, contexts, asked, statuses, frames: () => frames }
}

it.each([
  ['closed', (context: AudioContext) => context.close()],
  ['suspended', (context: AudioContext) => context.suspend()],
])('captures again if its context is %s, with the same device', async (_what, breakIt) => {
  const { contexts, asked, statuses, frames } = await capturing()
  await breakIt(contexts[0]!)
  await vi.waitFor(() => expect(statuses).toEqual(['recovering', 'capturing']))
  const before = frames()
  await vi.waitFor(() => expect(frames()).toBeGreaterThan(before + 10))
  expect([contexts.length, asked.mock.calls.length]).toEqual([2, 1])
  expect(contexts[0]!.state).toBe('closed')
})

/** Captures some frames, then throws. */
const THROWS = `
registerProcessor('stagepass-capture', class extends AudioWorkletProcessor {
  blocks = 0
  process() {
    this.blocks += 1
    if (this.blocks === 20) throw new Error('out of order')
    if (this.blocks % 8 === 0) this.port.postMessage({ frame: new ArrayBuffer(640), peak: 0, time: currentTime })
    return true
  }
})`

it('is recovering while its worklet throws', async () => {
  const workletUrl = `data:text/javascript,${encodeURIComponent(THROWS)}`
  const { contexts, asked, statuses } = await capturing({ workletUrl })
  // At once with a new context, then with the device.
  await vi.waitFor(() =>
    expect(statuses.slice(0, 4)).toEqual(['recovering', 'capturing', 'recovering', 'capturing']),
  )
  expect([contexts.length, asked.mock.calls.length]).toEqual([3, 2])
})

import { afterEach, expect, it, vi } from 'vitest'
import { commands } from 'vitest/browser'
import { distortionDb, sweep } from '../sound/spectrum.test.kit.js'
import { createMicrophone, listDevices } from '../index.js'

const microphones: ReturnType<typeof createMicrophone>[] = []

function setup(options?: Parameters<typeof createMicrophone>[0]) {
  const microphone = createMicrophone(options)
  microphones.push(microphone)
  const frames: ArrayBuffer[] = []
  microphone.onFrame((frame) => frames.push(frame))
  return { microphone, frames }
}

/** The stream of the device that `start` opens. */
async function streamOf(start: () => Promise<void>): Promise<MediaStream> {
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  await start()
  const stream = (await opened.mock.results[0]!.value) as MediaStream
  opened.mockRestore()
  return stream
}

afterEach(() => {
  for (const microphone of microphones.splice(0)) microphone.stop()
})

it('captures frames of 640 bytes from the device, and their level', async () => {
  const { microphone, frames } = setup()
  const starting = microphone.start()
  expect(microphone.state.status).toBe('starting')
  await starting
  expect(microphone.state).toMatchObject({ status: 'capturing', label: expect.stringContaining('Fake') })
  // Chromium's fake device beeps once a second.
  await vi.waitFor(() => expect(microphone.level()).toBeGreaterThan(0.05))
  expect(new Set(frames.map(({ byteLength }) => byteLength))).toEqual(new Set([640]))
  expect(microphone.latencyMs()).toBeGreaterThan(20)
  expect(microphone.latencyMs()).toBeLessThan(500)
})

it('releases the device when it is stopped', async () => {
  const { microphone, frames } = setup()
  const stream = await streamOf(() => microphone.start())
  await vi.waitFor(() => expect(frames.length).toBeGreaterThan(3))
  microphone.stop()
  expect(stream.getTracks().map(({ readyState }) => readyState)).toEqual(['ended'])
  expect(microphone.state.status).toBe('idle')
  expect(microphone.level()).toBe(0)
})

it('releases the device when it is stopped while it is being opened', async () => {
  const { microphone } = setup()
  const stream = await streamOf(() => {
    const starting = microphone.start()
    microphone.stop()
    return starting
  })
  await vi.waitFor(() => expect(stream.getTracks()[0]!.readyState).toBe('ended'))
  expect(microphone.state.status).toBe('idle')
})

it('sends silence while muted', async () => {
  const { microphone, frames } = setup()
  microphone.setMuted(true)
  await microphone.start()
  expect(microphone.state).toMatchObject({ status: 'capturing', muted: true })
  await vi.waitFor(() => expect(frames.length).toBeGreaterThan(60))
  const loudest = Math.max(...frames.slice(5).flatMap((frame) => [...new Int16Array(frame)].map(Math.abs)))
  expect(loudest).toBe(0)
})

it('falls back to another device if the requested one is missing', async () => {
  const { microphone, frames } = setup()
  await microphone.start({ deviceId: 'a-device-of-another-day' })
  expect(microphone.state.status).toBe('capturing')
  await vi.waitFor(() => expect(frames.length).toBeGreaterThan(0))
})

it('changes to the chosen device', async () => {
  const { microphone } = setup()
  await microphone.start()
  const devices = await listDevices('audioinput')
  expect(devices.length).toBeGreaterThan(1)
  const other = devices.at(-1)!
  await microphone.start({ deviceId: other.deviceId })
  expect(microphone.state).toMatchObject({
    status: 'capturing',
    deviceId: other.deviceId,
    label: other.label,
  })
})

it.each([
  ['NotAllowedError', 'PERMISSION_DENIED'],
  ['NotFoundError', 'NO_DEVICE'],
  ['NotReadableError', 'DEVICE_BUSY'],
  ['TypeError', 'UNKNOWN'],
])('answers a %s of the browser with %s', async (name, code) => {
  const { microphone } = setup()
  const refused = vi
    .spyOn(navigator.mediaDevices, 'getUserMedia')
    .mockRejectedValue(new DOMException('no', name))
  await microphone.start()
  refused.mockRestore()
  expect(microphone.state).toMatchObject({ status: 'failed', error: { name: 'AudioError', code } })
})

it('continues with another device when its own is unplugged, and returns to it; it stays muted', async () => {
  const { microphone, frames } = setup()
  await microphone.start()
  const devices = await listDevices('audioinput')
  const { deviceId } = devices.find(({ label }) => label.includes('Fake microphone 2'))!
  await microphone.start({ deviceId })
  microphone.setMuted(true)
  const seen: string[] = []
  microphone.subscribe(() => seen.push(microphone.state.status))
  const onGap = vi.fn()
  microphone.onGap(onGap)
  await commands.unplug('microphone2')
  try {
    await vi.waitFor(() => expect(onGap).toHaveBeenCalledTimes(1))
    expect(seen).toEqual(['recovering', 'capturing'])
    expect(microphone.state).toMatchObject({ muted: true, label: expect.not.stringContaining('2') })
  } finally {
    await commands.plug('microphone2')
  }
  await vi.waitFor(() => expect(microphone.state).toMatchObject({ status: 'capturing', deviceId }))
  expect(onGap).toHaveBeenCalledTimes(2)
  expect(microphone.state.muted).toBe(true)
  microphone.setMuted(false)
  frames.length = 0
  await vi.waitFor(() => expect(microphone.level()).toBeGreaterThan(0.05))
})

it('captures 20 Hz to 7 kHz without distortion or images', async () => {
  const source = new AudioContext()
  const destination = source.createMediaStreamDestination()
  const oscillator = new OscillatorNode(source)
  oscillator.connect(new GainNode(source, { gain: 0.5 })).connect(destination)
  oscillator.start()
  await source.resume()
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia').mockResolvedValue(destination.stream)
  const { microphone, frames } = setup()
  await microphone.start()
  opened.mockRestore()
  for (const hertz of sweep(20, 7_000, 6)) {
    oscillator.frequency.value = hertz
    frames.length = 0
    await vi.waitFor(() => {
      // On a busy machine the browser may lose some sound between the two contexts. Then the next frames are
      // tested.
      const last = frames.slice(-26)
      expect(last.length).toBe(26)
      const samples = last.flatMap((frame) => [...new Int16Array(frame)])
      const signal = Float32Array.from(samples, (sample) => sample / 0x8000)
      expect(distortionDb(signal, 16_000, hertz)).toBeLessThan(-60)
    })
  }
  await source.close()
})

it('reports a worklet that does not load, and releases the device', async () => {
  const { microphone } = setup({ workletUrl: '/there-is-no-such.worklet.js' })
  const stream = await streamOf(() => microphone.start())
  expect(microphone.state).toMatchObject({ status: 'failed', error: { code: 'WORKLET_BLOCKED' } })
  expect(stream.getTracks()[0]!.readyState).toBe('ended')
})

it('reports that no sound comes, and releases the device', async () => {
  const silent =
    "registerProcessor('stagepass-capture', class extends AudioWorkletProcessor { process() { return true } })"
  const { microphone } = setup({ workletUrl: `data:text/javascript,${encodeURIComponent(silent)}` })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const stream = await streamOf(async () => {
      const starting = microphone.start()
      // With fake timers, each look is an interval later for the page.
      await vi.waitFor(() => expect(microphone.state.status).not.toBe('starting'), { interval: 100 })
      await starting
    })
    expect(microphone.state).toMatchObject({ status: 'failed', error: { code: 'NO_SOUND' } })
    expect(stream.getTracks()[0]!.readyState).toBe('ended')
  } finally {
    vi.useRealTimers()
  }
})

it('is idle at once when it is stopped before the first frame, and passes on no frame afterwards', async () => {
  const { microphone, frames } = setup()
  const connect = Reflect.get(AudioNode.prototype, 'connect') as (...args: unknown[]) => AudioNode
  // The page is busy while the first frames come. The microphone is stopped before the page reads them.
  const connected = vi.spyOn(AudioNode.prototype, 'connect').mockImplementation(function (
    this: AudioNode,
    ...args: unknown[]
  ) {
    const node = Reflect.apply(connect, this, args)
    for (const until = performance.now() + 200; performance.now() < until;);
    microphone.stop()
    return node
  })
  await microphone.start()
  expect(connected).toHaveBeenCalledOnce()
  connected.mockRestore()
  expect(microphone.state.status).toBe('idle')
  // It starts with its first frame, which comes after those of the first one.
  await setup().microphone.start()
  expect(frames).toEqual([])
})

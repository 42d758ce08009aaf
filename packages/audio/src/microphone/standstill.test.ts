import { fakeMicrophones } from '@stagepass/testing/fakeMicrophones'
import { afterEach, expect, it, vi } from 'vitest'
import { createMicrophone, type MicrophoneGap } from './createMicrophone.js'

type Devices = ReturnType<typeof fakeMicrophones>
type Context = Devices['contexts'][number]

afterEach(() => void vi.restoreAllMocks())

async function capturing(devices: Devices) {
  const microphone = createMicrophone({ workletUrl: '/capture.worklet.js' })
  const statuses: string[] = []
  const gaps: MicrophoneGap[] = []
  microphone.subscribe(() => {
    if (statuses.at(-1) !== microphone.state.status) statuses.push(microphone.state.status)
  })
  microphone.onGap((gap) => gaps.push(gap))
  void microphone.start()
  await devices.pass(100)
  expect(microphone.state.status).toBe('capturing')
  statuses.length = 0
  return { microphone, statuses, gaps, context: devices.contexts.at(-1)! }
}

it.each([
  ['is suspended', (context: Context) => context.enter('suspended')],
  ['is interrupted', (context: Context) => context.enter('interrupted')],
  ['stands still and says that it runs', (context: Context) => void (context.isStalled = true)],
  ['is closed', (context: Context) => context.enter('closed')],
  ['reports an error', (context: Context) => void context.dispatchEvent(new Event('error'))],
])('captures again within 3 s if its context %s, and keeps the device', async (_what, breakIt) => {
  using devices = fakeMicrophones('built-in')
  const { microphone, statuses, gaps, context } = await capturing(devices)
  microphone.setMuted(true)
  statuses.length = 0
  breakIt(context)
  await devices.pass(3_000)
  expect(statuses).toEqual(['recovering', 'capturing'])
  expect(microphone.state).toMatchObject({ status: 'capturing', muted: true, deviceId: 'built-in' })
  expect(gaps).toHaveLength(1)
  expect(gaps[0]!.lengthMs).toBeLessThan(3_000)
  expect([devices.asked.length, devices.tracks[0]!.readyState]).toEqual([1, 'live'])
  expect(devices.contexts.map(({ state }) => state)).toEqual(['closed', 'running'])
  await devices.pass(60_000)
  expect(statuses).toHaveLength(2)
})

it('captures again at once if its worklet throws', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone, statuses } = await capturing(devices)
  devices.crash()
  expect(microphone.state).toMatchObject({ status: 'recovering', error: { code: 'NO_SOUND' } })
  await devices.pass(100)
  expect(statuses).toEqual(['recovering', 'capturing'])
})

it('opens the device again within 3 s if a new context does not help', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone, statuses, gaps } = await capturing(devices)
  devices.tracks[0]!.isDead = true
  await devices.pass(3_100)
  expect(statuses).toEqual(['recovering', 'capturing'])
  expect(microphone.state).toMatchObject({ deviceId: 'built-in' })
  expect(gaps).toHaveLength(1)
  expect(devices.tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'live'])
})

it('tries later and later while nothing comes, and fails in the end', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone, statuses, context } = await capturing(devices)
  devices.setDead(true)
  context.isStalled = true
  await devices.pass(120_000)
  expect(statuses).toEqual(['recovering', 'failed'])
  expect(microphone.state).toMatchObject({ error: { code: 'NO_SOUND' } })
  // The first one, and six restarts.
  expect(devices.contexts).toHaveLength(7)
  expect(devices.contexts.every(({ state }) => state === 'closed')).toBe(true)
  expect(devices.tracks.every(({ readyState }) => readyState === 'ended')).toBe(true)
  devices.setDead(false)
  void microphone.start()
  await devices.pass(100)
  expect(microphone.state.status).toBe('capturing')
})

it('does not open a context for each frame if its worklet always throws', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone } = await capturing(devices)
  for (let ms = 0; ms < 60_000; ms += 20) {
    if (microphone.state.status === 'capturing') devices.crash()
    await devices.pass(20)
  }
  expect(microphone.state).toMatchObject({ status: 'failed', error: { code: 'NO_SOUND' } })
  expect(devices.contexts).toHaveLength(7)
})

it('begins with a new context again after it has captured for 10 s', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone } = await capturing(devices)
  for (let i = 0; i < 10; i += 1) {
    devices.crash()
    await devices.pass(11_000)
    expect(microphone.state.status).toBe('capturing')
  }
  expect(devices.asked).toHaveLength(1)
})

it('takes a machine that slept, or a page whose timers came late, for no standstill', async () => {
  using devices = fakeMicrophones('built-in')
  const { statuses, context } = await capturing(devices)
  const now = performance.now.bind(performance)
  let asleepMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + asleepMs)
  // Sound ends a little before the sleep, and begins a little after it.
  context.isStalled = true
  await devices.pass(300)
  asleepMs = 3_600_000
  await devices.pass(500)
  context.isStalled = false
  await devices.pass(5_000)
  expect(statuses).toEqual([])
})

it('notices a standstill in a page whose timers always come late', async () => {
  using devices = fakeMicrophones('built-in')
  const { statuses, context } = await capturing(devices)
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() * 10)
  await devices.pass(5_000)
  expect(statuses).toEqual([])
  context.isStalled = true
  await devices.pass(3_000)
  expect(statuses).toEqual(['recovering', 'capturing'])
})

it('stays as it is while the system has taken the microphone, and captures again afterwards', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone, statuses, context } = await capturing(devices)
  const [track] = devices.tracks
  const setTaken = (isTaken: boolean): void => {
    track!.muted = isTaken
    track!.dispatchEvent(new Event(isTaken ? 'mute' : 'unmute'))
  }
  context.enter('interrupted')
  setTaken(true)
  await devices.pass(60_000)
  expect(microphone.state).toMatchObject({ status: 'capturing', suspended: true })
  setTaken(false)
  await devices.pass(3_000)
  expect(statuses).toEqual(['capturing', 'recovering', 'capturing'])
  expect(microphone.state.suspended).toBe(false)
})

it('is suspended from its start, if a call has the microphone and the worklet is slow', async () => {
  using devices = fakeMicrophones('built-in')
  const microphone = createMicrophone({ workletUrl: '/capture.worklet.js' })
  const load = devices.holdWorklets()
  void microphone.start()
  await devices.pass(10)
  const [track] = devices.tracks
  track!.muted = true
  track!.dispatchEvent(new Event('mute'))
  await devices.pass(2_500)
  expect(microphone.state).toMatchObject({ status: 'starting', suspended: true })
  load()
  await devices.pass(500)
  expect(microphone.state).toMatchObject({ status: 'capturing', suspended: true })
  track!.muted = false
  track!.dispatchEvent(new Event('unmute'))
  expect(microphone.state).toMatchObject({ status: 'capturing', suspended: false })
})

it('opens the device again if an interruption leaves the context suspended', async () => {
  using devices = fakeMicrophones('built-in')
  const { statuses, context } = await capturing(devices)
  context.enter('interrupted')
  context.enter('suspended')
  await devices.pass(100)
  expect(statuses).toEqual(['recovering', 'capturing'])
  expect(devices.asked).toHaveLength(2)
})

it.each([
  ['while a new context is opened', 1_500],
  ['while it waits', 7_500],
])('is idle when it is stopped %s, and opens nothing afterwards', async (_when, afterMs) => {
  using devices = fakeMicrophones('built-in')
  const { microphone, context } = await capturing(devices)
  devices.setDead(true)
  context.isStalled = true
  await devices.pass(afterMs)
  expect(microphone.state.status).toBe('recovering')
  microphone.stop()
  const { length } = devices.contexts
  devices.tell()
  await devices.pass(60_000)
  expect([microphone.state.status, devices.contexts.length]).toEqual(['idle', length])
  expect(devices.tracks.every(({ readyState }) => readyState === 'ended')).toBe(true)
})

it('keeps the stream of the application for a new context, and requests another one if that does not help', async () => {
  using devices = fakeMicrophones('tab')
  const source = vi.fn(() => navigator.mediaDevices.getUserMedia({ audio: {} }))
  vi.stubGlobal(
    'MediaStream',
    class {
      readonly track: unknown
      constructor([track]: unknown[]) {
        this.track = track
      }
      getAudioTracks = () => [this.track]
    },
  )
  const microphone = createMicrophone({ source, workletUrl: '/capture.worklet.js' })
  void microphone.start()
  await devices.pass(100)
  devices.contexts[0]!.isStalled = true
  await devices.pass(3_000)
  expect([microphone.state.status, source.mock.calls.length]).toEqual(['capturing', 1])
  await devices.pass(11_000)
  devices.tracks[0]!.isDead = true
  await devices.pass(3_100)
  expect([microphone.state.status, source.mock.calls.length]).toEqual(['capturing', 2])
  // It belongs to the application.
  expect(devices.tracks[0]!.readyState).toBe('live')
})

import { fakeMicrophones } from '@stagepass/testing/fakeMicrophones'
import { expect, it, vi } from 'vitest'
import { createMicrophone, type MicrophoneGap } from './createMicrophone.js'

async function capturing(devices: ReturnType<typeof fakeMicrophones>, deviceId?: string) {
  const microphone = createMicrophone({ workletUrl: '/capture.worklet.js' })
  const statuses: string[] = []
  const frames: ArrayBuffer[] = []
  const gaps: MicrophoneGap[] = []
  microphone.subscribe(() => statuses.push(microphone.state.status))
  microphone.onFrame((frame) => frames.push(frame))
  microphone.onGap((gap) => gaps.push(gap))
  void microphone.start({ deviceId })
  await devices.pass(100)
  expect(microphone.state.status).toBe('capturing')
  statuses.length = 0
  return { microphone, statuses, frames, gaps }
}

it('continues with the default device when the chosen one is lost, and returns to it', async () => {
  using devices = fakeMicrophones('built-in', 'headset')
  const { microphone, statuses, gaps } = await capturing(devices, 'headset')
  expect(microphone.state).toMatchObject({ deviceId: 'headset' })
  devices.unplug('headset')
  expect(microphone.state).toMatchObject({ status: 'recovering', error: { code: 'DEVICE_LOST' } })
  await devices.pass(100)
  expect(microphone.state).toMatchObject({ status: 'capturing', deviceId: 'built-in' })
  expect(gaps).toEqual([
    { lengthMs: expect.closeTo(20, -2), deviceId: 'built-in', label: 'Microphone built-in' },
  ])

  devices.plug('headset')
  devices.tell()
  await devices.pass(500)
  expect(microphone.state).toMatchObject({ status: 'capturing', deviceId: 'headset' })
  expect(gaps).toHaveLength(2)
  expect(statuses).toEqual(['recovering', 'capturing', 'recovering', 'capturing'])
  // Only the current device is open.
  expect(devices.tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'ended', 'ended', 'live'])
})

it('continues with the default device while the chosen one is busy, and changes when it is free', async () => {
  using devices = fakeMicrophones('built-in', 'headset')
  devices.occupy('headset')
  const { microphone, statuses, frames, gaps } = await capturing(devices, 'headset')
  expect(microphone.state).toMatchObject({ deviceId: 'built-in' })
  const before = frames.length
  await devices.pass(6_000)
  // It was searched for meanwhile, without a loss of sound.
  expect(devices.asked.filter((device) => device === 'headset')).toHaveLength(4)
  expect(frames.length - before).toBe(300)
  expect(statuses).toEqual([])

  devices.release('headset')
  await devices.pass(2_100)
  expect(microphone.state).toMatchObject({ status: 'capturing', deviceId: 'headset' })
  expect(statuses).toEqual(['recovering', 'capturing'])
  expect(gaps).toMatchObject([{ deviceId: 'headset' }])
  expect(devices.tracks.map(({ readyState }) => readyState)).toEqual(['ended', 'ended', 'live'])
  const asked = devices.asked.length
  await devices.pass(5_000)
  expect(devices.asked).toHaveLength(asked)
})

it('continues with the default device when a lost one returns but is busy', async () => {
  using devices = fakeMicrophones('built-in', 'headset')
  const { microphone, gaps } = await capturing(devices, 'headset')
  devices.unplug('headset')
  devices.plug('headset')
  devices.occupy('headset')
  await devices.pass(2_100)
  expect(microphone.state).toMatchObject({ status: 'capturing', deviceId: 'built-in' })
  devices.release('headset')
  await devices.pass(2_100)
  expect(microphone.state).toMatchObject({ status: 'capturing', deviceId: 'headset' })
  expect(gaps.map(({ deviceId }) => deviceId)).toEqual(['built-in', 'headset'])
})

it('fails if the default device is busy too', async () => {
  using devices = fakeMicrophones('built-in')
  devices.occupy('built-in')
  const microphone = createMicrophone({ workletUrl: '/capture.worklet.js' })
  await microphone.start({ deviceId: 'built-in' })
  expect(microphone.state).toMatchObject({ status: 'failed', error: { code: 'DEVICE_BUSY' } })
})

it('stays with the default device if the user does not allow the chosen one', async () => {
  using devices = fakeMicrophones('built-in', 'headset')
  devices.occupy('headset')
  const { microphone } = await capturing(devices, 'headset')
  devices.refuse('NotAllowedError')
  await devices.pass(10_000)
  expect(microphone.state).toMatchObject({ status: 'capturing', deviceId: 'built-in' })
  // The start tries both devices. Later there is one attempt.
  expect(devices.asked).toEqual(['headset', undefined, 'headset'])
})

it('releases a device that is opened after it was stopped', async () => {
  using devices = fakeMicrophones('built-in', 'headset')
  devices.occupy('headset')
  const { microphone } = await capturing(devices, 'headset')
  devices.release('headset')
  const getUserMedia = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  // It is stopped while the browser opens the device.
  const opening = vi.spyOn(navigator.mediaDevices, 'getUserMedia').mockImplementation(async (constraints) => {
    const stream = await getUserMedia(constraints)
    microphone.stop()
    return stream
  })
  await devices.pass(2_100)
  opening.mockRestore()
  expect(microphone.state.status).toBe('idle')
  expect(devices.tracks).toHaveLength(2)
  expect(devices.tracks.some(({ readyState }) => readyState === 'live')).toBe(false)
})

it('tries every 2 s while there is no device, even if the browser reports no change', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone, gaps } = await capturing(devices)
  devices.unplug('built-in')
  await devices.pass(10_100)
  expect(microphone.state.status).toBe('recovering')
  // The start, one attempt at once, and five more.
  expect(devices.asked).toHaveLength(7)
  devices.plug('built-in')
  await devices.pass(2_000)
  expect(microphone.state.status).toBe('capturing')
  expect(gaps[0]!.lengthMs).toBeGreaterThan(10_000)
  expect(gaps[0]!.lengthMs).toBeLessThan(12_200)
})

it('tries once for a burst of changes', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone } = await capturing(devices)
  devices.unplug('built-in')
  await devices.pass(100)
  const before = devices.asked.length
  devices.plug('built-in')
  devices.tell()
  await devices.pass(300)
  expect(devices.asked.length - before).toBe(1)
  expect(microphone.state.status).toBe('capturing')
})

it('stays muted after a change of device', async () => {
  using devices = fakeMicrophones('built-in', 'headset')
  const { microphone } = await capturing(devices, 'headset')
  microphone.setMuted(true)
  devices.unplug('headset')
  await devices.pass(100)
  expect(microphone.state).toMatchObject({ status: 'capturing', muted: true, deviceId: 'built-in' })
  expect(devices.tracks.at(-1)!.enabled).toBe(false)
  expect(microphone.level()).toBe(0)
})

it('fails when the page is no longer allowed a microphone', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone } = await capturing(devices)
  devices.refuse('NotAllowedError')
  devices.unplug('built-in')
  await devices.pass(100)
  expect(microphone.state).toMatchObject({ status: 'failed', error: { code: 'PERMISSION_DENIED' } })
  await devices.pass(5_000)
  expect(devices.asked).toHaveLength(2)
})

it('requests no device after it was stopped', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone, statuses } = await capturing(devices)
  devices.unplug('built-in')
  await devices.pass(100)
  microphone.stop()
  const before = devices.asked.length
  devices.plug('built-in')
  devices.tell()
  await devices.pass(5_000)
  expect(devices.asked).toHaveLength(before)
  expect(statuses).toEqual(['recovering', 'idle'])
})

it('shows that the system has taken the microphone, if it takes longer than 2 s', async () => {
  using devices = fakeMicrophones('built-in')
  const { microphone, statuses } = await capturing(devices)
  const [track] = devices.tracks
  track!.dispatchEvent(new Event('mute'))
  await devices.pass(1_900)
  expect(microphone.state.suspended).toBe(false)
  track!.dispatchEvent(new Event('unmute'))
  await devices.pass(3_000)
  expect(microphone.state.suspended).toBe(false)
  track!.dispatchEvent(new Event('mute'))
  await devices.pass(2_100)
  expect(microphone.state).toMatchObject({ status: 'capturing', suspended: true })
  track!.dispatchEvent(new Event('unmute'))
  expect(microphone.state.suspended).toBe(false)
  expect(statuses).not.toContain('recovering')
})

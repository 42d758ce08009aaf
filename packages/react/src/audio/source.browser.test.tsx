import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createMicrophone, type MicrophoneGap } from '@stagepass/audio'
import { useMicrophone } from './index.js'

let context: AudioContext | undefined
const microphones: ReturnType<typeof createMicrophone>[] = []

afterEach(async () => {
  cleanup()
  for (const microphone of microphones.splice(0)) microphone.stop()
  vi.restoreAllMocks()
  await context?.close()
  context = undefined
})

/** Sound of the application: a tone. */
function soundOf(hertz = 500): MediaStream {
  context ??= new AudioContext()
  const tone = new OscillatorNode(context, { frequency: hertz })
  const output = new MediaStreamAudioDestinationNode(context)
  tone.connect(new GainNode(context, { gain: 0.5 })).connect(output)
  tone.start()
  return output.stream
}

function capture(source: NonNullable<Parameters<typeof createMicrophone>[0]>['source']) {
  const asked = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const microphone = createMicrophone({ source })
  microphones.push(microphone)
  const frames: ArrayBuffer[] = []
  const gaps: MicrophoneGap[] = []
  const statuses: string[] = []
  microphone.onFrame((frame) => frames.push(frame))
  microphone.onGap((gap) => gaps.push(gap))
  microphone.subscribe(() => statuses.push(microphone.state.status))
  return { microphone, frames, gaps, statuses, asked }
}

const loudestOf = (frame: ArrayBuffer): number => Math.max(...new Int16Array(frame).map(Math.abs)) / 0x8000

/**
 * The frequency of the sound. Not its level: WebKitGTK sometimes passes the sound of another context on at a
 * seventh of its level.
 */
function hertzOf(frame: ArrayBuffer | undefined): number {
  const samples = new Int16Array(frame ?? new ArrayBuffer(0))
  const crossings = samples.filter((sample, index) => index > 0 && sample >= 0 !== samples[index - 1]! >= 0)
  return (crossings.length / 2) * 50
}

/** Waits until the newest frame is of this tone. */
const waitForTone = (frames: readonly ArrayBuffer[], hertz: number): Promise<void> =>
  vi.waitFor(() => expect(Math.abs(hertzOf(frames.at(-1)) - hertz)).toBeLessThan(100))

it('captures the sound of the application in place of a microphone, and does not change it', async () => {
  const stream = soundOf()
  const [track] = stream.getAudioTracks()
  const { microphone, frames, asked } = capture(stream)
  // A device that exists but must not be opened.
  const device = { kind: 'audioinput', deviceId: 'headset', label: 'Headset' } as MediaDeviceInfo
  vi.spyOn(navigator.mediaDevices, 'enumerateDevices').mockResolvedValue([device])
  await microphone.start({ deviceId: 'headset' })
  expect(microphone.state.status).toBe('capturing')
  navigator.mediaDevices.dispatchEvent(new Event('devicechange'))
  await vi.waitFor(() => expect(frames.length).toBeGreaterThan(25))
  await waitForTone(frames, 500)
  expect(microphone.level()).toBeGreaterThan(0)
  expect(new Set(frames.map(({ byteLength }) => byteLength))).toEqual(new Set([640]))

  // The microphone is silent, but the application's sound is not.
  microphone.setMuted(true)
  const before = frames.length
  await vi.waitFor(() => expect(frames.length).toBeGreaterThan(before + 5))
  expect(frames.slice(before).map(loudestOf)).toEqual(frames.slice(before).map(() => 0))
  expect(microphone.level()).toBe(0)
  expect(track!.enabled).toBe(true)

  microphone.stop()
  expect(track!.readyState).toBe('live')
  await microphone.start()
  expect(microphone.state.status).toBe('capturing')
  expect(asked).not.toHaveBeenCalled()
})

it('requests the sound again when it was lost, and reports the gap', async () => {
  const streams: MediaStream[] = []
  const { microphone, frames, gaps, statuses } = capture(async () => {
    streams.push(soundOf(streams.length === 0 ? 500 : 1_500))
    return streams.at(-1)!
  })
  await microphone.start()
  await waitForTone(frames, 500)
  // This causes no event.
  streams[0]!.getTracks()[0]!.stop()
  await waitForTone(frames, 1_500)
  expect(statuses).toEqual(['starting', 'capturing', 'recovering', 'capturing'])
  expect(gaps).toHaveLength(1)
  expect(streams).toHaveLength(2)
})

it('fails when the user no longer shares the sound', async () => {
  let shared: MediaStream | undefined = soundOf()
  const { microphone, asked } = capture(() => {
    if (shared) return shared
    throw new DOMException('no', 'NotAllowedError')
  })
  await microphone.start()
  const [track] = shared.getTracks()
  shared = undefined
  track!.stop()
  await vi.waitFor(() => expect(microphone.state.status).toBe('failed'))
  expect(microphone.state).toMatchObject({ error: { code: 'PERMISSION_DENIED' } })
  expect(asked).not.toHaveBeenCalled()
})

it('fails if there is no sound in it', async () => {
  const { microphone } = capture(new MediaStream())
  await microphone.start()
  expect(microphone.state).toMatchObject({ status: 'failed', error: { code: 'NO_DEVICE' } })
})

it('changes to another stream at once, and opens no microphone without one', async () => {
  const asked = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const initialProps: { source: MediaStream | undefined } = { source: soundOf(500) }
  const frames: ArrayBuffer[] = []
  const { result, rerender } = renderHook(
    ({ source }: typeof initialProps) => useMicrophone({ source, onFrame: (frame) => frames.push(frame) }),
    { initialProps },
  )
  await result.current.start()
  await waitForTone(frames, 500)
  rerender({ source: soundOf(1_500) })
  await waitForTone(frames, 1_500)
  rerender({ source: undefined })
  await vi.waitFor(() => expect(result.current.status).toBe('idle'))
  expect(asked).not.toHaveBeenCalled()
})

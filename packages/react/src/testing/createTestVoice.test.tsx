import { handshakesOf, parseTape } from '@stagepass/contract'
import { fail, refuse } from '@stagepass/emulator/browser'
import { QueryClient } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { useMicrophone, useMicrophones, usePlayback, useSpeakers } from '../audio/index.js'
import { recordVoice } from '../devtools/recordVoice.js'
import { useMeetings } from '../meetings/useMeetings.js'
import { useStream } from '../stream/useStream.js'
import { useSessionToken } from '../token/useSessionToken.js'
import { useUsage } from '../usage/useUsage.js'
import { createTestVoice, type TestVoice } from './createTestVoice.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function show(voice: TestVoice, children: ReactNode): void {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(children, { wrapper: pageOf(voice.client, queryClient) })
}

function Stream({ onMessage }: { readonly onMessage?: (message: unknown) => void }): ReactNode {
  const { status, failureReason } = useStream('stt', { onMessage })
  return <p role="status">{failureReason?.code ?? status}</p>
}

it('opens a stream through the real BFF, and says what arrived', async () => {
  using voice = createTestVoice()
  show(voice, <Stream />)
  expect(await screen.findByText('open')).toBeTruthy()
  expect(voice.emulator.sockets).toHaveLength(1)
  expect(voice.events.map(({ type }) => type)).toEqual(['token.minted', 'stream.connecting', 'stream.opened'])
})

it('lists the meetings of the user', async () => {
  using voice = createTestVoice({ meetings: [{ id: 'm1', title: 'Roadmap' }] })
  function Titles(): ReactNode {
    return useMeetings({ fields: ['title'] }).meetings.map(({ id, title }) => <p key={id}>{title}</p>)
  }
  show(voice, <Titles />)
  expect(await screen.findByText('Roadmap')).toBeTruthy()
})

it('has the faults of the emulator, from the start and later', async () => {
  using voice = createTestVoice({ faults: [fail('AUTH_NO_LICENSE')] })
  show(voice, <Stream />)
  expect(await screen.findByText('AUTH_NO_LICENSE')).toBeTruthy()
  cleanup()
  using other = createTestVoice()
  other.emulator.use(refuse(402))
  show(other, <Stream />)
  expect(await screen.findByText('STREAM_ERROR')).toBeTruthy()
})

it('signs users in and out', async () => {
  using voice = createTestVoice({ user: null })
  voice.client.setUser('ada')
  show(voice, <Stream />)
  expect(await screen.findByText('UNAUTHENTICATED')).toBeTruthy()
  act(() => voice.setUser('ben'))
  expect(await screen.findByText('open')).toBeTruthy()
  voice.user = 'ada'
  act(() => voice.client.reset())
  expect(await screen.findByText('USER_CHANGED')).toBeTruthy()
})

it('counts the minutes of the user', async () => {
  using voice = createTestVoice({ usage: { minutesPerDay: 20 } })
  function Left(): ReactNode {
    const { limitMs } = useUsage('stt')
    return <p>{limitMs === undefined ? '' : `of ${limitMs}`}</p>
  }
  show(voice, <Left />)
  expect(await screen.findByText('of 1200000')).toBeTruthy()
})

it.each([20, { stt: 20 }])('goes on with a day that has begun: %o minutes', async (minutesPerDay) => {
  using voice = createTestVoice({ usage: { minutesPerDay }, usedMinutes: 16 })
  function Minutes(): ReactNode {
    const { usedMs, limitMs } = useUsage('stt')
    return <p>{`${usedMs} of ${limitMs}`}</p>
  }
  show(
    voice,
    <>
      <Minutes />
      <Stream />
    </>,
  )
  expect(await screen.findByText('960000 of 1200000')).toBeTruthy()
  // The shortest token needs five minutes.
  expect(await screen.findByText('USAGE_EXHAUSTED')).toBeTruthy()
})

it('goes on with a month whose day has begun', async () => {
  using voice = createTestVoice({ usage: { minutesPerMonth: { stt: 100 } }, usedMinutes: 16 })
  function Minutes(): ReactNode {
    const { usedMs, monthLeftMs } = useUsage('stt')
    return <p>{`${usedMs}, ${monthLeftMs} left`}</p>
  }
  show(voice, <Minutes />)
  expect(await screen.findByText('960000, 5040000 left')).toBeTruthy()
})

it('counts a day that has begun without a limit', async () => {
  using voice = createTestVoice({ usage: {}, usedMinutes: 16 })
  function Minutes(): ReactNode {
    const { usedMs, limitMs } = useUsage('stt')
    return <p>{`${usedMs} of ${limitMs}`}</p>
  }
  show(voice, <Minutes />)
  expect(await screen.findByText('960000 of null')).toBeTruthy()
})

it('shows the meetings that the grant of the user lets through', async () => {
  const meetings = [
    { id: 'm1', title: 'Own', tags: ['sales'] },
    { id: 'm2', title: 'Shared', visibility: 'shared' as const },
  ]
  using voice = createTestVoice({ meetings, meetingsGrant: { ownership: 'mine', fields: ['title'] } })
  function Rows(): ReactNode {
    const { meetings, error } = useMeetings()
    return <p>{error?.code ?? JSON.stringify(meetings)}</p>
  }
  show(voice, <Rows />)
  expect(await screen.findByText('[{"id":"m1","title":"Own"}]')).toBeTruthy()
  cleanup()
  using other = createTestVoice({ meetings, meetingsGrant: null })
  show(other, <Rows />)
  expect(await screen.findByText('FORBIDDEN')).toBeTruthy()
})

it('runs by the fake timers of the test runner', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  function Short(): ReactNode {
    useSessionToken('stt', { ttlMinutes: 5 })
    return <Stream />
  }
  show(voice, <Short />)
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect(screen.getByRole('status').textContent).toBe('open')
  for (let second = 0; second < 300; second += 10) await act(() => vi.advanceTimersByTimeAsync(10_000))
  expect(voice.events.map(({ type }) => type)).toContain('token.renewed')
})

it('hears what is spoken, plays what the page plays, and gives the page its own sound back', async () => {
  vi.useFakeTimers()
  const tone = new Int16Array(3_200).fill(8_000)
  const minute = new Int16Array(60 * 16_000)
  {
    using voice = createTestVoice()
    const frames: ArrayBuffer[] = []
    function Sound(): ReactNode {
      const microphone = useMicrophone({ onFrame: (frame) => frames.push(frame) })
      const { play, status } = usePlayback()
      const [isAsked, setAsked] = useState(false)
      return (
        <>
          <button onClick={() => void microphone.start().then(() => setAsked(true))}>Speak</button>
          <button onClick={() => play(tone)}>Play</button>
          <p role="status">{`${isAsked} ${microphone.status} ${microphone.status === 'failed' && microphone.error.code} ${status}`}</p>
        </>
      )
    }
    show(voice, <Sound />)
    const press = async (name: string): Promise<void> => {
      act(() => screen.getByRole('button', { name }).click())
      await act(() => vi.advanceTimersByTimeAsync(1_000))
    }
    voice.microphone.refuse()
    await press('Speak')
    // The words for a refusal are a chunk that loads in real time.
    await vi.waitFor(async () => {
      await act(() => vi.advanceTimersByTimeAsync(0))
      expect(screen.getByRole('status').textContent).toContain('failed PERMISSION_DENIED')
    })
    await press('Speak')
    expect([voice.microphone.isOpen, screen.getByRole('status').textContent]).toEqual([
      true,
      expect.stringContaining('capturing'),
    ])
    const before = frames.length
    voice.microphone.speak(tone)
    await act(() => vi.advanceTimersByTimeAsync(400))
    const loud = frames
      .slice(before)
      .filter((frame) => new Int16Array(frame).every((sample) => sample === 8_000))
    expect(loud).toHaveLength(10)
    // More than the arguments of one call.
    voice.microphone.speak(minute)
    await press('Play')
    const heard = voice.loudspeaker.heard()
    expect(heard.length).toBeGreaterThan(3_000)
    expect(heard[1_600]).toBeCloseTo(8_000, -2)
    cleanup()
    expect(voice.microphone.isOpen).toBe(false)
  }
  expect([typeof AudioContext, navigator.mediaDevices]).toEqual(['undefined', undefined])
})

it('a playback that is not audible has a stream for a call', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  let track: MediaStreamTrack | undefined
  function Sound(): ReactNode {
    const { play, unlock, stream } = usePlayback({ audible: false })
    const begin = (): void => {
      unlock()
      track = stream()?.getAudioTracks()[0]
      play(new Int16Array(16_000).fill(1_000))
    }
    return <button onClick={begin}>Play</button>
  }
  show(voice, <Sound />)
  act(() => screen.getByRole('button').click())
  await act(() => vi.advanceTimersByTimeAsync(1_000))
  expect([track?.kind, track?.readyState]).toEqual(['audio', 'live'])
  expect(voice.loudspeaker.heard().length).toBeGreaterThan(3_000)
  cleanup()
  expect(track?.readyState).toBe('ended')
})

it('loses its microphone and its sound as a page does, and names its devices once it was allowed one', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const labelsOf = (devices: readonly { readonly label: string }[]): string =>
    devices.map(({ label }) => label || 'unnamed').join(' ')
  let heard = 0
  function Sound(): ReactNode {
    const microphone = useMicrophone({
      onFrame: (frame) => {
        heard = new Int16Array(frame)[0] ?? 0
      },
      deviceId: 'Headset',
    })
    const { play, unlock, status } = usePlayback()
    const used = microphone.status === 'capturing' && microphone.label
    return (
      <>
        <button onClick={() => void microphone.start()}>Speak</button>
        <button onClick={() => play(new Int16Array(160_000).fill(1_000))}>Play</button>
        <button onClick={unlock}>Unlock</button>
        <p role="status">{`${microphone.status} ${microphone.suspended} ${used} ${status}`}</p>
        <p role="note">{`${labelsOf(useMicrophones())}, ${labelsOf(useSpeakers())}`}</p>
      </>
    )
  }
  show(voice, <Sound />)
  const pass = (ms: number): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(ms))
  const press = (name: string): Promise<unknown> => {
    act(() => screen.getByRole('button', { name }).click())
    return pass(1_000)
  }
  const expectState = (state: string): void => expect(screen.getByRole('status').textContent).toBe(state)
  const expectDevices = (list: string): void => expect(screen.getByRole('note').textContent).toBe(list)
  await pass(100)
  expectDevices('unnamed, unnamed')
  await press('Speak')
  expectState('capturing false Scripted microphone idle')
  expectDevices('Scripted microphone, Scripted loudspeaker')

  // The one that was asked for.
  voice.microphone.plug('Headset')
  await pass(1_000)
  expectState('capturing false Headset idle')
  expectDevices('Scripted microphone Headset, Scripted loudspeaker')

  voice.microphone.speak(new Int16Array(160_000).fill(1_000))
  await pass(100)
  expect(heard).toBe(1_000)
  voice.microphone.setTaken(true)
  await pass(2_100)
  expectState('capturing true Headset idle')
  expect(heard).toBe(0)
  voice.microphone.setTaken(false)
  await pass(100)
  expectState('capturing false Headset idle')
  expect(heard).toBe(1_000)

  voice.microphone.unplug('Headset')
  await pass(1_000)
  expectState('capturing false Scripted microphone idle')
  voice.microphone.unplug()
  await pass(1_000)
  expectState('recovering false false idle')
  expect(voice.microphone.isOpen).toBe(false)
  voice.microphone.plug()
  await pass(1_000)
  expectState('capturing false Scripted microphone idle')

  await press('Play')
  expectState('capturing false Scripted microphone playing')
  act(() => voice.loudspeaker.block())
  const { length } = voice.loudspeaker.heard()
  await pass(1_000)
  expectState('capturing false Scripted microphone blocked')
  expect(voice.loudspeaker.heard()).toHaveLength(length)
  await press('Unlock')
  expectState('capturing false Scripted microphone playing')
  expect(voice.loudspeaker.heard().length).toBeGreaterThan(length)
})

function SoundStatus({ onFrame = () => {} }: { onFrame?: (frame: ArrayBuffer) => void }): ReactNode {
  const microphone = useMicrophone({ onFrame })
  const { play, unlock, status } = usePlayback()
  return (
    <>
      <button onClick={() => void microphone.start()}>Speak</button>
      <button onClick={() => play(new Int16Array(160_000).fill(1_000))}>Play</button>
      <button onClick={unlock}>Unlock</button>
      <p role="status">{`${microphone.status} ${status}`}</p>
    </>
  )
}

/** A page that captures and plays. */
async function showSound(voice: TestVoice) {
  const frames: ArrayBuffer[] = []
  show(voice, <SoundStatus onFrame={(frame) => frames.push(frame)} />)
  const pass = (ms: number): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(ms))
  const press = async (name: string): Promise<void> => {
    act(() => screen.getByRole('button', { name }).click())
    await pass(200)
  }
  const status = (): string | null => screen.getByRole('status').textContent
  await press('Speak')
  await press('Play')
  expect(status()).toBe('capturing playing')
  return { pass, press, status, frames }
}

type Part = TestVoice['microphone'] | TestVoice['loudspeaker']

it.each([
  ['stands still', (part: Part) => part.stall()],
  ['has a worklet that throws', (part: Part) => part.crash()],
  ['is closed', (part: Part) => part.shut()],
  ['fails', (part: Part) => part.fail()],
])('shows how a page goes on whose sound %s', async (_what, stop) => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { pass, status, frames } = await showSound(voice)
  const seen = new Set<string | null>()
  act(() => stop(voice.microphone))
  const before = frames.length
  for (let ms = 0; ms < 3_000; ms += 20) {
    seen.add(status())
    await pass(20)
  }
  expect([...seen].map((one) => one?.split(' ')[0])).toContain('recovering')
  expect([status(), frames.length > before + 50]).toEqual(['capturing playing', true])

  act(() => stop(voice.loudspeaker))
  await pass(10_000)
  expect(status()).toBe('capturing idle')
  const heard = voice.loudspeaker.heard().filter((sample) => sample === 1_000)
  // All of it, and the part of one report perhaps twice.
  expect(heard.length).toBeGreaterThanOrEqual(160_000)
  expect(heard.length).toBeLessThan(160_000 + 640)
})

it('interrupts the sound of a page, and leaves it suspended', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { pass, press, status } = await showSound(voice)
  act(() => voice.loudspeaker.setInterrupted(true))
  await pass(5_000)
  expect(status()).toBe('capturing blocked')
  act(() => voice.loudspeaker.setInterrupted(false))
  await pass(200)
  expect(status()).toBe('capturing playing')
  act(() => voice.loudspeaker.block())
  await pass(5_000)
  expect(status()).toBe('capturing blocked')
  await press('Unlock')
  expect(status()).toBe('capturing playing')

  // A call: the page has no microphone, and its sound is interrupted.
  const heard = (): string | undefined => status()?.split(' ')[0]
  voice.microphone.setTaken(true)
  act(() => voice.microphone.setInterrupted(true))
  await pass(5_000)
  expect(heard()).toBe('capturing')
  voice.microphone.setTaken(false)
  act(() => voice.microphone.setInterrupted(false))
  expect(heard()).toBe('recovering')
  await pass(200)
  expect(heard()).toBe('capturing')
  act(() => voice.microphone.block())
  await pass(1_500)
  expect([heard(), voice.microphone.isOpen]).toEqual(['capturing', true])
})

it('has no sound until it is no longer dead', async () => {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { pass, press, status } = await showSound(voice)
  voice.microphone.setDead(true)
  voice.loudspeaker.setDead(true)
  await pass(20_000)
  expect(status()).toBe('recovering blocked')
  await pass(60_000)
  expect(status()).toBe('failed failed')
  expect(voice.microphone.isOpen).toBe(false)
  voice.microphone.setDead(false)
  voice.loudspeaker.setDead(false)
  await press('Unlock')
  await press('Speak')
  await press('Play')
  expect(status()).toBe('capturing playing')
})

it('plays what was recorded: refused handshakes, texts, sound, and the drop', async () => {
  vi.useFakeTimers()
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      await act(() => vi.advanceTimersByTimeAsync(1_000))
      await vi.dynamicImportSettled()
    }
  }
  const SOUND = Uint8Array.from({ length: 640 }, (_, index) => index % 256)
  const heard: unknown[] = []
  const page = (
    <Stream
      onMessage={(message) =>
        heard.push(typeof message === 'string' ? message : new Uint8Array(message as ArrayBuffer))
      }
    />
  )

  async function record(): Promise<string> {
    using voice = createTestVoice()
    voice.emulator.use(refuse(503, { times: 3 }))
    const recording = recordVoice(voice.client, { sound: true })
    show(voice, page)
    await pass(10)
    voice.emulator.sockets[0]?.send('one')
    voice.emulator.sockets[0]?.send(SOUND)
    await pass(1)
    voice.emulator.sockets[0]?.drop()
    await pass(5)
    voice.emulator.sockets[0]?.send('two')
    await pass(1)
    cleanup()
    return recording.stop()
  }
  const tape = await record()
  const recorded = handshakesOf(parseTape(tape))
  expect(recorded.map((one) => ('refused' in one ? one.refused : one.received.length))).toEqual([
    undefined,
    503,
    2,
    1,
  ])
  expect(heard.splice(0)).toEqual(['one', SOUND, 'two'])

  using voice = createTestVoice({ tape })
  const again = recordVoice(voice.client, { sound: true })
  show(voice, page)
  await pass(20)
  expect(heard).toEqual(['one', SOUND, 'two'])
  expect(handshakesOf(parseTape(again.stop()))).toEqual(recorded)
})

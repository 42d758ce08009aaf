import { openBrowserStack } from '@stagepass/testing/browser'
import { cleanup, render } from '@testing-library/react'
import { StrictMode, useEffect } from 'react'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import { useVoiceSession, type UseVoiceSessionResult } from './index.js'
import { tone } from '../../../audio/src/playback/listen.browser.test.kit.js'

afterEach(cleanup)

type Session = UseVoiceSessionResult<unknown, unknown>

it('sends and plays sound, without a render per frame, and releases all when it is stopped', async () => {
  await using stack = await openBrowserStack({ emulator: { echo: true } })
  const client = createVoiceClient({ url: stack.url })
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const onMessage = vi.fn()
  let session: Session | undefined
  /** The status of each render. */
  const shown: string[] = []
  const functions = new Set<() => void>()
  function Conversation() {
    const current = useVoiceSession('stt', { onMessage })
    useEffect(() => {
      session = current as Session
      functions.add(current.start).add(current.stop).add(current.pause).add(current.resume)
      shown.push(
        [current, current.stream, current.microphone, current.playback].map(({ status }) => status).join(),
      )
    })
    return (
      <button onClick={current.status === 'idle' ? current.start : current.stop}>{current.status}</button>
    )
  }
  const page = render(
    <StrictMode>
      <VoiceProvider client={client}>
        <Conversation />
      </VoiceProvider>
    </StrictMode>,
  )
  page.getByText('idle').click()
  await vi.waitFor(() => expect(session!.status).toBe('active'))
  await vi.waitFor(() => expect(session!.playback.status).toBe('playing'))
  const before = shown.length
  const heard = onMessage.mock.calls.length
  await vi.waitFor(() => expect(onMessage.mock.calls.length).toBeGreaterThan(heard + 50))
  // On a busy machine the sound may run out meanwhile, which causes a render. Nothing else renders.
  const renders = shown.slice(before - 1)
  expect(renders.slice(1).filter((one, i) => one === renders[i])).toEqual([])
  expect(renders.length).toBeLessThan(25)
  // Chromium's fake device beeps once a second.
  await vi.waitFor(() => expect(session!.playback.level()).toBeGreaterThan(0.05))
  expect(session!.error).toBe(null)

  page.getByText('active').click()
  // Sound and microphone have ended; the last texts are still expected.
  expect(session!.playback.bufferedMs()).toBe(0)
  await vi.waitFor(() => expect(session!.status).toBe('stopping'))
  expect(session!.microphone.status).toBe('idle')
  expect(session!.stream.status).toBe('open')
  await vi.waitFor(() => expect(session!.status).toBe('idle'))
  const track = ((await opened.mock.results[0]!.value) as MediaStream).getTracks()[0]!
  opened.mockRestore()
  expect(track.readyState).toBe('ended')
  expect(session!.playback.bufferedMs()).toBe(0)
  // An effect may depend on them.
  expect(functions.size).toBe(4)
  await vi.waitFor(async () => expect(await stack.run(({ upstream }) => upstream.sockets.length)).toBe(0))
})

it('reports why it cannot hear the user, and tries again', async () => {
  await using stack = await openBrowserStack({ emulator: { echo: true } })
  const client = createVoiceClient({ url: stack.url })
  let session: Session | undefined
  function Conversation() {
    const current = useVoiceSession('stt')
    useEffect(() => {
      session = current as Session
    })
    return <button onClick={current.start}>{current.status}</button>
  }
  const refused = vi
    .spyOn(navigator.mediaDevices, 'getUserMedia')
    .mockRejectedValue(new DOMException('no', 'NotAllowedError'))
  const page = render(
    <VoiceProvider client={client}>
      <Conversation />
    </VoiceProvider>,
  )
  page.getByText('idle').click()
  await vi.waitFor(() => expect(session!.status).toBe('failed'))
  expect(session!.error).toMatchObject({ code: 'PERMISSION_DENIED' })
  expect(session!.failureReason).toBe(session!.error)
  refused.mockRestore()
  page.getByText('failed').click()
  await vi.waitFor(() => expect(session!.status).toBe('active'))
  session!.stop()
  await vi.waitFor(() => expect(session!.status).toBe('idle'))
})

/** A microphone that is never silent, until the test ends. */
function startTone(): MediaStream {
  const context = new AudioContext()
  const output = new MediaStreamAudioDestinationNode(context)
  const oscillator = new OscillatorNode(context)
  oscillator.connect(output)
  oscillator.start()
  onTestFinished(() => context.close())
  return output.stream
}

/** Simulates a busy machine: the frames of the microphone wait for the page. */
function blockPage(ms: number): void {
  const start = performance.now()
  while (performance.now() - start < ms);
}

it('keeps the stream, and is silent in both directions while it is paused', async () => {
  await using stack = await openBrowserStack({ emulator: { echo: true } })
  const client = createVoiceClient({ url: stack.url })
  const source = startTone()
  let session: Session | undefined
  /** The loudest sample of each message that the service got, and the texts. */
  const echoes: (number | string)[] = []
  function Conversation() {
    const current = useVoiceSession('stt', {
      microphone: { source },
      onMessage: (message) =>
        echoes.push(
          typeof message === 'string' ? message : Math.max(...new Int16Array(message).map(Math.abs)),
        ),
    })
    useEffect(() => {
      session = current as Session
    })
    return <button onClick={current.start}>{current.status}</button>
  }
  const page = render(
    <VoiceProvider client={client}>
      <Conversation />
    </VoiceProvider>,
  )
  /** The messages that the service got after a text. The connection keeps the order. */
  const after = (text: string) => (echoes.includes(text) ? echoes.slice(echoes.indexOf(text) + 1) : [])
  page.getByText('idle').click()
  await vi.waitFor(() => expect(session!.status).toBe('active'))
  await vi.waitFor(() => expect(echoes.at(-1)).toBeGreaterThan(1_000))
  blockPage(200)
  session!.pause()
  session!.stream.send('paused')
  await vi.waitFor(() => expect(session!.status).toBe('paused'))
  await vi.waitFor(() => expect(after('paused').length).toBeGreaterThan(75))
  expect(after('paused').filter((loudest) => loudest !== 0)).toEqual([])
  expect(session!.playback.bufferedMs()).toBeGreaterThan(500)
  await vi.waitFor(() => expect(session!.playback.level()).toBe(0))
  expect([session!.stream.status, session!.microphone.status]).toEqual(['open', 'capturing'])

  session!.resume()
  await vi.waitFor(() => expect(session!.status).toBe('active'))
  session!.stream.send('resumed')
  await vi.waitFor(() => expect(after('resumed').at(-1)).toBeGreaterThan(1_000))
  await vi.waitFor(() => expect(session!.playback.level()).toBeGreaterThan(0.05))
  // A pause ends with its session.
  session!.pause()
  session!.stop()
  await vi.waitFor(() => expect(session!.status).toBe('idle'))
  expect(session!.playback.paused).toBe(false)
  page.getByText('idle').click()
  await vi.waitFor(() => expect(session!.status).toBe('active'))
  session!.stop()
  await vi.waitFor(() => expect(session!.status).toBe('idle'))
})

it("keeps the user's volume, although the sound is quieter while the user speaks", async () => {
  await using stack = await openBrowserStack()
  const client = createVoiceClient({ url: stack.url })
  let session: Session | undefined
  function Conversation() {
    const current = useVoiceSession('stt', { echo: 'duck' })
    useEffect(() => {
      session = current as Session
    })
    return <button onClick={current.start}>{current.status}</button>
  }
  const page = render(
    <VoiceProvider client={client}>
      <Conversation />
    </VoiceProvider>,
  )
  page.getByText('idle').click()
  await vi.waitFor(() => expect(session!.status).toBe('active'))
  const { playback } = session!
  playback.setVolume(0.5)
  await vi.waitFor(() => expect(session!.microphone.level()).toBeGreaterThan(0.08), { interval: 5 })
  // From here on no frame can end the ducking.
  session!.stop()
  playback.play(tone(440, 0.5, 3))
  await vi.waitFor(() => expect(playback.level()).toBeCloseTo(0.25, 2))
  playback.interrupt()
})

it('has an error only if it has failed, and reports why it recovers', async () => {
  await using stack = await openBrowserStack({ emulator: { echo: true } })
  const client = createVoiceClient({ url: stack.url })
  const shown: Session[] = []
  function Conversation() {
    const current = useVoiceSession('stt') as Session
    useEffect(() => void shown.push(current))
    return <button onClick={current.start}>{current.status}</button>
  }
  const page = render(
    <VoiceProvider client={client}>
      <Conversation />
    </VoiceProvider>,
  )
  page.getByText('idle').click()
  await vi.waitFor(() => expect(shown.at(-1)!.status).toBe('active'))
  await stack.run(({ upstream }) => upstream.sockets[0]?.drop())
  await vi.waitFor(() => expect(shown.map(({ status }) => status)).toContain('recovering'))
  await vi.waitFor(() => expect(shown.at(-1)!.status).toBe('active'))
  const { error, failureReason } = shown.find(({ status }) => status === 'recovering')!
  expect(failureReason).toMatchObject({ code: 'CONNECTION_LOST' })
  expect(error).toBeNull()
  expect(shown.at(-1)!.failureReason).toBeNull()
})

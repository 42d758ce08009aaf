import { openBrowserStack } from '@stagepass/testing/browser'
import { cleanup, render } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { useVoiceSession, type UseVoiceSessionResult } from './index.js'
import { tone } from '../../../audio/src/playback/listen.browser.test.kit.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

type Session = UseVoiceSessionResult<unknown, unknown>

/** A page with a session, and a button that starts it. */
async function openConversation(options: Parameters<typeof useVoiceSession>[1] = {}, echo = true) {
  const stack = await openBrowserStack({ emulator: { echo } })
  const client = createVoiceClient({ url: stack.url })
  /** The session of each render. */
  const shown: Session[] = []
  function Conversation() {
    const current = useVoiceSession('stt', options as object) as Session
    useEffect(() => void shown.push(current))
    return <button onClick={current.start}>{current.status}</button>
  }
  const page = render(<Conversation />, { wrapper: pageOf(client) })
  const session = (): Session => shown.at(-1)!
  return {
    stack,
    shown,
    session,
    press: () => page.getByRole('button').click(),
    becomes: (status: Session['status']) => vi.waitFor(() => expect(session().status).toBe(status)),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

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
  const page = render(<Conversation />, { wrapper: pageOf(client) })
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
  await using conversation = await openConversation()
  const { session, press, becomes } = conversation
  const refused = vi
    .spyOn(navigator.mediaDevices, 'getUserMedia')
    .mockRejectedValue(new DOMException('no', 'NotAllowedError'))
  press()
  await becomes('failed')
  expect(session().error).toMatchObject({ code: 'PERMISSION_DENIED' })
  expect(session().failureReason).toBe(session().error)
  refused.mockRestore()
  press()
  await becomes('active')
  session().stop()
  await becomes('idle')
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
  /** The loudest sample of each message that the service got, and the texts. */
  const echoes: (number | string)[] = []
  await using conversation = await openConversation({
    microphone: { source: startTone() },
    onMessage: (message) =>
      echoes.push(
        typeof message === 'string'
          ? message
          : Math.max(...new Int16Array(message as ArrayBuffer).map(Math.abs)),
      ),
  })
  const { session, press, becomes } = conversation
  /** The messages that the service got after a text. The connection keeps the order. */
  const after = (text: string) => (echoes.includes(text) ? echoes.slice(echoes.indexOf(text) + 1) : [])
  press()
  await becomes('active')
  await vi.waitFor(() => expect(echoes.at(-1)).toBeGreaterThan(1_000))
  blockPage(200)
  session().pause()
  session().stream.send('paused')
  await becomes('paused')
  await vi.waitFor(() => expect(after('paused').length).toBeGreaterThan(75))
  expect(after('paused').filter((loudest) => loudest !== 0)).toEqual([])
  expect(session().playback.bufferedMs()).toBeGreaterThan(500)
  await vi.waitFor(() => expect(session().playback.level()).toBe(0))
  expect([session().stream.status, session().microphone.status]).toEqual(['open', 'capturing'])

  session().resume()
  await becomes('active')
  session().stream.send('resumed')
  await vi.waitFor(() => expect(after('resumed').at(-1)).toBeGreaterThan(1_000))
  await vi.waitFor(() => expect(session().playback.level()).toBeGreaterThan(0.05))
  // A pause ends with its session.
  session().pause()
  session().stop()
  await becomes('idle')
  expect(session().playback.paused).toBe(false)
  press()
  await becomes('active')
  session().stop()
  await becomes('idle')
})

it("keeps the user's volume, although the sound is quieter while the user speaks", async () => {
  await using conversation = await openConversation({ echo: 'duck' }, false)
  const { session, press, becomes } = conversation
  press()
  await becomes('active')
  const { playback } = session()
  playback.setVolume(0.5)
  await vi.waitFor(() => expect(session().microphone.level()).toBeGreaterThan(0.08), { interval: 5 })
  // From here on no frame can end the ducking.
  session().stop()
  playback.play(tone(440, 0.5, 3))
  await vi.waitFor(() => expect(playback.level()).toBeCloseTo(0.25, 2))
  playback.interrupt()
})

it('has an error only if it has failed, and reports why it recovers', async () => {
  await using conversation = await openConversation()
  const { stack, shown, session, press, becomes } = conversation
  press()
  await becomes('active')
  await stack.run(({ upstream }) => upstream.sockets[0]?.drop())
  await vi.waitFor(() => expect(shown.map(({ status }) => status)).toContain('recovering'))
  await becomes('active')
  const { error, failureReason } = shown.find(({ status }) => status === 'recovering')!
  expect(failureReason).toMatchObject({ code: 'CONNECTION_LOST' })
  expect(error).toBeNull()
  expect(session().failureReason).toBeNull()
})

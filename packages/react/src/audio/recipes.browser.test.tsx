import { openBrowserStack } from '@stagepass/testing/browser'
import { cleanup, render, within } from '@testing-library/react'
import { type ReactNode, useEffect } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { CleanCall } from '../../../../test/recipes/CleanCall.js'
import { TwoLanguages } from '../../../../test/recipes/TwoLanguages.js'
import { Captions } from '../../../../test/recipes/Captions.js'
import { Dictate } from '../../../../test/recipes/Dictate.js'
import { Interpreter } from '../../../../test/recipes/Interpreter.js'
import { PushToTalk } from '../../../../test/recipes/PushToTalk.js'
import { ReadAloud } from '../../../../test/recipes/ReadAloud.js'
import { createVoiceClient } from '../client/createVoiceClient.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import { useStream, type UseStreamResult } from '../stream/useStream.js'
import { VoiceProvider } from '../client/VoiceProvider.js'

// The recipes of docs/, unchanged: test/docs/recipes.test.ts compares them.

const contexts: AudioContext[] = []

/** A user who repeats a word of 0.6 s, with pauses of this length. */
function speak(pauseSeconds: number): void {
  const context = new AudioContext()
  contexts.push(context)
  const { sampleRate } = context
  const words = new AudioBuffer({ length: (0.6 + pauseSeconds) * sampleRate, sampleRate })
  words.copyToChannel(
    Float32Array.from({ length: 0.6 * sampleRate }, (_, at) => 0.5 * Math.sin((at * 1_400) / sampleRate)),
    0,
  )
  const speaker = new AudioBufferSourceNode(context, { buffer: words, loop: true })
  const microphone = new MediaStreamAudioDestinationNode(context)
  speaker.connect(microphone)
  speaker.start()
  vi.spyOn(navigator.mediaDevices, 'getUserMedia').mockImplementation(async () => microphone.stream.clone())
}

afterEach(async () => {
  cleanup()
  vi.restoreAllMocks()
  await Promise.all(contexts.splice(0).map((context) => context.close()))
})

/** A page with a recipe, and the messages of its stream `stt`. */
async function openPage(recipe: ReactNode, { pauseSeconds = 0.8 } = {}) {
  speak(pauseSeconds)
  const stack = await openBrowserStack()
  const client = createVoiceClient({ url: stack.url })
  const said: { readonly text: string; readonly final: boolean }[] = []
  let shared: UseStreamResult<SendData, ReceivedData> | undefined
  function Listener(): ReactNode {
    const stream = useStream('stt', {
      enabled: false,
      onMessage: (message) => said.push(JSON.parse(message as string) as (typeof said)[number]),
    })
    useEffect(() => {
      shared = stream
    })
    return null
  }
  const page = render(
    <VoiceProvider client={client}>
      {recipe}
      <Listener />
    </VoiceProvider>,
  )
  const stream = () => shared as NonNullable<typeof shared>
  return { stack, page, said, stream, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() }
}

it('captions: sound in, lines out', async () => {
  await using captions = await openPage(<Captions />)
  captions.page.getByText('Speak').click()
  // On a busy machine the sound has gaps, and the service ends a sentence at each gap.
  await vi.waitFor(() => expect(captions.page.getAllByText(/^\w.*\.$/, { selector: 'li' })).not.toEqual([]))
})

it('microphone: sound in, text out', async () => {
  await using dictation = await openPage(<Dictate />)
  dictation.page.getByText('Speak').click()
  await vi.waitFor(() => expect(dictation.said).toContainEqual(expect.objectContaining({ final: true })))
  expect(dictation.said[0]?.text).toMatch(/^Good/)
  dictation.page.getByText('Stop').click()
  expect(dictation.page.queryByRole('alert')).toBeNull()
})

it('text to speech: each word is highlighted while it is heard, and none after a stop', async () => {
  await using reading = await openPage(<ReadAloud text="The quick brown fox jumps" />)
  const { page } = reading
  const marked: string[] = []
  const watch = new MutationObserver(() => {
    const word = page.container.querySelector('mark')?.textContent ?? '-'
    if (word !== marked.at(-1)) marked.push(word)
  })
  watch.observe(page.container, { subtree: true, childList: true, characterData: true })
  page.getByText('Read aloud').click()
  await vi.waitFor(() => expect(marked).toEqual(['The', 'quick', 'brown', 'fox', 'jumps', '-']))

  page.getByText('Read aloud').click()
  await vi.waitFor(() => expect(marked.at(-1)).toBe('quick'))
  page.getByText('Stop').click()
  await vi.waitFor(() => expect(marked.at(-1)).toBe('-'))
  await vi.waitFor(() => expect(page.getByText('Read aloud')).toBeTruthy())
  watch.disconnect()
})

it('translation: sound in, text in the other language out', async () => {
  await using translation = await openPage(<Interpreter />)
  translation.page.getByText('Interpret').click()
  await vi.waitFor(() => expect(translation.page.getByText(/^Buenos .*\.$/)).toBeTruthy())
  expect(translation.page.getByRole('alert').textContent).toBe('')
  translation.page.getByText('Stop').click()
  const { stack } = translation
  await vi.waitFor(async () => expect(await stack.run(({ upstream }) => upstream.sockets.length)).toBe(0))
})

it('two languages side by side: each has its lines', async () => {
  await using translation = await openPage(<TwoLanguages />)
  const { page } = translation
  page.getByText('Start').click()
  const linesOf = (name: string): string[] =>
    within(page.getByRole('list', { name }))
      .queryAllByRole('listitem')
      .map(({ textContent }) => textContent)
  await vi.waitFor(() => {
    expect(linesOf('English')[0]).toMatch(/^Good/)
    expect(linesOf('Español')[0]).toMatch(/^Buenos/)
  })
  expect(page.getByRole('alert').textContent).toBe('')
})

it('voice isolation: the other side of a call hears the cleaned voice, and nothing after the end', async () => {
  const [here, there] = [new RTCPeerConnection(), new RTCPeerConnection()]
  here.addEventListener('icecandidate', ({ candidate }) => void there.addIceCandidate(candidate ?? undefined))
  there.addEventListener('icecandidate', ({ candidate }) => void here.addIceCandidate(candidate ?? undefined))
  const { sender } = here.addTransceiver('audio', { direction: 'sendonly' })
  const heard = new Promise<MediaStreamTrack>((resolve) =>
    there.addEventListener('track', ({ track }) => resolve(track)),
  )
  await here.setLocalDescription()
  await there.setRemoteDescription(here.localDescription!)
  await there.setLocalDescription()
  await here.setRemoteDescription(there.localDescription!)
  const context = new AudioContext()
  contexts.push(context)
  const meter = new AnalyserNode(context)
  const stream = new MediaStream([await heard])
  // Chromium gives the sound of a call only to a stream that an element plays.
  const element = Object.assign(new Audio(), { srcObject: stream, muted: true })
  await element.play()
  new MediaStreamAudioSourceNode(context, { mediaStream: stream }).connect(meter)
  const level = (): number => {
    const samples = new Float32Array(meter.fftSize)
    meter.getFloatTimeDomainData(samples)
    return Math.max(...samples.map(Math.abs))
  }
  await using call = await openPage(<CleanCall sender={sender} />)
  call.page.getByText('Speak').click()
  await vi.waitFor(() =>
    expect(call.page.getByRole('status').textContent).toBe('You are heard, without the noise.'),
  )
  await vi.waitFor(() => expect(level()).toBeGreaterThan(0.1))
  expect(call.page.getByRole('alert').textContent).toBe('')
  call.page.getByText('Mute').click()
  await vi.waitFor(() => expect(call.page.getByRole('status').textContent).toBe('You are not heard.'))
  await vi.waitFor(() => expect(level()).toBeLessThan(0.01))
  element.pause()
  here.close()
  there.close()
})

/** The button of push-to-talk, and its actions. */
function buttonOf({ page, said }: Awaited<ReturnType<typeof openPage>>) {
  const button = page.getByRole('button')
  const press = (type: string): void => void button.dispatchEvent(new PointerEvent(type, { bubbles: true }))
  return {
    isListening: () => page.queryByText('Listening') !== null,
    press,
    finals: () => said.filter(({ final }) => final),
  }
}

it('push to talk: the last words come after the release, and then the stream closes', async () => {
  // Speech without a pause: only the release ends the sentence.
  await using talk = await openPage(<PushToTalk />, { pauseSeconds: 0 })
  const { isListening, press, finals } = buttonOf(talk)
  press('pointerdown')
  await vi.waitFor(() => expect(talk.said.length).toBeGreaterThan(1))
  expect(isListening()).toBe(true)
  const before = finals().length
  press('pointerup')
  await vi.waitFor(() => expect(finals().length).toBeGreaterThan(before))
  expect(talk.said.at(-1)).toMatchObject({ final: true })
  const { stack } = talk
  await vi.waitFor(async () => expect(await stack.run(({ upstream }) => upstream.sockets.length)).toBe(0))
  expect(isListening()).toBe(false)
})

it('push to talk: a press that ends before the stream is open loses nothing', async () => {
  await using talk = await openPage(<PushToTalk />, { pauseSeconds: 0 })
  const { press, finals } = buttonOf(talk)
  // A delay for the token, and one for the handshake. Data that waits for more than 6 s is dropped.
  await talk.stack.run(({ upstream }, { delay }) => [upstream.use(delay(1_500))].length)
  press('pointerdown')
  await vi.waitFor(() => expect(talk.stream().stats().queued).toBeGreaterThan(50))
  expect(talk.stream().status).toBe('connecting')
  press('pointerup')
  const { queued } = talk.stream().stats()
  await vi.waitFor(() => expect(talk.stream().status).toBe('closed'))
  expect(finals()).not.toEqual([])
  // The silence at the end is sent too. The final text may come before all of the silence is sent.
  expect(talk.stream().stats()).toMatchObject({ sent: queued, dropped: 0 })
})

it('push to talk: a press during the last words continues with the same stream', async () => {
  await using talk = await openPage(<PushToTalk />, { pauseSeconds: 0 })
  const { isListening, press } = buttonOf(talk)
  press('pointerdown')
  await vi.waitFor(() => expect(talk.said).not.toEqual([]))
  press('pointerup')
  press('pointerdown')
  await vi.waitFor(() => expect(isListening()).toBe(true))
  const before = talk.said.length
  // Longer than the end of the stream would take.
  await vi.waitFor(() => expect(talk.said.length).toBeGreaterThan(before + 12))
  expect(isListening()).toBe(true)
  expect(talk.stream().stats().generation).toBe(1)
  press('pointerup')
})

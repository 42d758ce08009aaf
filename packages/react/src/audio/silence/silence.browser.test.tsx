import { type BrowserStack, openBrowserStack } from '@stagepass/testing/browser'
import { cleanup, render } from '@testing-library/react'
import { type ReactNode, useEffect } from 'react'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import recording from '../../../../../examples/demo/public/recordings/sense-and-sensibility.wav?url'
import { createVoiceClient } from '../../client/createVoiceClient.js'
import { useVoiceSession, type UseVoiceSessionOptions, type UseVoiceSessionResult } from '../index.js'
import { pageOf } from '../../client/pageOf.test.kit.js'

type Session = UseVoiceSessionResult<never, unknown>

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Each is a part of the recording, in seconds, and begins with a pause of this length. */
const UTTERANCES = [
  { from: 0, to: 2.5, pause: 0.5 },
  { from: 2.5, to: 5, pause: 6 },
]
const END_SECONDS = 3

/** A microphone for each of two pages, which hears the utterances once. */
async function openMicrophones() {
  const context = new AudioContext({ sampleRate: 48_000 })
  onTestFinished(() => context.close())
  // WebKit begins without sound.
  await context.resume()
  const response = await fetch(recording)
  const spoken = await context.decodeAudioData(await response.arrayBuffer())
  const speaker = new GainNode(context)
  const outputs = [new MediaStreamAudioDestinationNode(context), new MediaStreamAudioDestinationNode(context)]
  for (const output of outputs) speaker.connect(output)
  // A stream without sound would end the frames in some browsers.
  const quiet = new ConstantSourceNode(context, { offset: 0 })
  quiet.connect(speaker)
  quiet.start()
  return {
    streams: outputs.map(({ stream }) => stream),
    /** Resolves when all is said. */
    speak: (): Promise<void> => {
      let at = context.currentTime
      for (const { from, to, pause } of UTTERANCES) {
        at += pause
        const source = new AudioBufferSourceNode(context, { buffer: spoken })
        source.connect(speaker)
        source.start(at, from, to - from)
        at += to - from
      }
      const last = new ConstantSourceNode(context, { offset: 0 })
      // WebKit ends no node that is not connected.
      last.connect(speaker)
      last.start()
      last.stop(at + END_SECONDS)
      return new Promise((resolve) => last.addEventListener('ended', () => resolve(), { once: true }))
    },
  }
}

const energyOf = (frame: Int16Array): number => frame.reduce((sum, sample) => sum + sample * sample, 0)

/** Sums the sound of all microphones, because WebKitGTK gives one of them less of it now and then. */
function listenToMicrophones(): () => number {
  let energy = 0
  vi.stubGlobal(
    'AudioWorkletNode',
    class extends AudioWorkletNode {
      constructor(...given: ConstructorParameters<typeof AudioWorkletNode>) {
        super(...given)
        this.port.addEventListener('message', ({ data }: MessageEvent<{ frame?: ArrayBuffer }>) => {
          if (data.frame) energy += energyOf(new Int16Array(data.frame))
        })
      }
    },
  )
  return () => energy
}

/** A page with one session. */
async function openPage(options: UseVoiceSessionOptions<never, unknown>) {
  const stack = await openBrowserStack({ emulator: { recordFrames: 100_000 } })
  const client = createVoiceClient({ url: stack.url })
  const shown: string[] = []
  let session: Session | undefined
  function Conversation(): ReactNode {
    const current = useVoiceSession<never, unknown>('stt', options)
    useEffect(() => {
      session = current
      if (shown.at(-1) !== current.status) shown.push(current.status)
    })
    return null
  }
  render(<Conversation />, { wrapper: pageOf(client) })
  return { stack, shown, session: (): Session => session! }
}

/** What the page has cost, and the energy of the sound that the service got. */
const costOf = (stack: BrowserStack) =>
  stack.run(({ upstream }) => {
    const billed = Object.values(upstream.billedMs())
    let energy = 0
    for (const { data } of upstream.frames) {
      if (typeof data === 'string') continue
      // `energyOf` is not there: this function runs beside the service.
      for (const sample of new Int16Array(Uint8Array.from(data).buffer)) energy += sample * sample
    }
    return {
      paidMs: billed.reduce((sum, ms) => sum + ms, 0),
      connections: billed.length,
      tokens: upstream.counts.token,
      energy,
    }
  })

it('pays for speech alone, and the service gets all of it', async () => {
  const { streams, speak } = await openMicrophones()
  const heard = listenToMicrophones()
  const [first, second] = streams
  const silent = await openPage({ microphone: { source: first }, silence: { closeAfterMs: 1_500 } })
  await using stack = silent.stack
  const open = await openPage({ microphone: { source: second } })
  await using openStack = open.stack
  for (const { session } of [silent, open]) session().start()
  for (const { session } of [silent, open]) await vi.waitFor(() => expect(session().status).toBe('active'))
  await speak()
  await vi.waitFor(() => expect(silent.session().status).toBe('waiting'))
  const saved = silent.session().silence
  const [paid, before] = await Promise.all([costOf(stack), costOf(openStack)])
  expect(before).toMatchObject({ connections: 1, tokens: 1 })
  expect(paid.tokens).toBe(1)
  // The first connection is that of `start`, and of the first utterance. On a busy machine the sound comes in
  // pieces, and then an utterance may be two.
  expect(saved.opens).toBeGreaterThanOrEqual(1)
  expect(paid.connections).toBe(saved.opens + 1)
  expect((paid.energy + before.energy) / heard()).toBeGreaterThan(0.985)
  expect(paid.paidMs / before.paidMs).toBeLessThan(0.9)
  for (const { session } of [silent, open]) session().stop()
  for (const { session } of [silent, open]) await vi.waitFor(() => expect(session().status).toBe('idle'))
}, 90_000)

import { createVoiceClient, type VoiceEvent, VoiceProvider } from '@stagepass/react'
import { useVoiceSession } from '@stagepass/react/audio'
import { createTestVoice } from '@stagepass/react/testing'
import { selectText, toSrt, useTranscript } from '@stagepass/react/transcript'
import { openBrowserStack } from '@stagepass/testing/browser'
import { type ReactNode, StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, it } from 'vitest'
import { commands } from 'vitest/browser'
import { Captions } from '../items/captions'
import { PushToTalk } from '../items/push-to-talk'
import { button, keyDown, keyUp } from './hands'

/*
 * A recording of known words, through all that is between a mouth and a reader: microphone, push to talk,
 * sockets of a real service, a lost connection, captions, a file. The emulator hears by loudness, and each
 * connection begins with the same sentence: of 3.6 s it hears "Good morning everyone and thank you for
 * joining the call today.", of less as many words as fit.
 */

const FRAME_SAMPLES = 320
const FRAMES_A_SECOND = 50

let lastNumber = 0

/** A tone of this length. The first sample of each frame of 20 ms is its number, so no two are alike. */
function record(seconds: number): Int16Array<ArrayBuffer> {
  const samples = Int16Array.from({ length: seconds * FRAMES_A_SECOND * FRAME_SAMPLES }, (_, at) =>
    Math.round(8_000 * Math.sin((at * 2 * Math.PI) / 32)),
  )
  for (let at = 0; at < samples.length; at += FRAME_SAMPLES) samples[at] = lastNumber += 1
  return samples
}

/** Each part of the recording as the service hears it. */
const SAID = [
  { text: 'Good morning everyone and thank you.', ms: 1_800 },
  { text: 'Good morning everyone and thank you for joining.', ms: 2_700 },
  { text: 'I would like.', ms: 900 },
  { text: 'Good morning everyone and.', ms: 1_200 },
]

it('1.2.4: no word is lost or doubled, with push to talk and a reconnect, and the file says the same', async () => {
  await using stack = await openBrowserStack({ emulator: { recordFrames: 100_000 } })
  const events: VoiceEvent[] = []
  const client = createVoiceClient({ url: stack.url, onEvent: (event) => events.push(event) })
  // Its microphone hears what it is given. The service is the one of the stack.
  const voice = createTestVoice()
  const { microphone } = voice
  let file = ''
  let status = ''

  function Page(): ReactNode {
    const session = useVoiceSession('stt', { queue: { maxAgeMs: 60_000 } })
    const { segments } = useTranscript(session.stream, { select: selectText })
    useEffect(() => {
      file = toSrt(segments)
      status = session.status
    })
    return (
      <>
        <PushToTalk session={session} />
        <Captions stream={session.stream} />
      </>
    )
  }

  const element = document.body.appendChild(document.createElement('main'))
  const root = createRoot(element)
  root.render(
    <StrictMode>
      <VoiceProvider client={client}>
        <Page />
      </VoiceProvider>
    </StrictMode>,
  )
  const rows = (): string[] =>
    [...element.querySelectorAll('[role=listitem]')].map(({ textContent }) => textContent)
  const becomes = async (expected: string): Promise<void> => {
    await expect.poll(() => status).toBe(expected)
  }
  /** Numbers of the frames that the service has, in the order of their arrival. */
  const arrived = (): Promise<number[]> =>
    stack.run(({ upstream }) =>
      upstream.frames.flatMap(({ data }) => {
        if (typeof data === 'string') return []
        const number = new DataView(data.buffer, data.byteOffset).getInt16(0, true)
        return number > 0 ? [number] : []
      }),
    )

  const hasArrived = async (): Promise<void> => {
    await expect.poll(async () => (await arrived()).length).toBe(lastNumber)
  }
  /** Waits until the service has all of the recording, and the end of this number of sentences. */
  const isHeard = async (sentences: number): Promise<void> => {
    await hasArrived()
    await expect.poll(() => rows().length >= sentences && rows().at(-1)?.endsWith('.')).toBe(true)
  }

  await expect.poll(() => element.querySelector('button')).not.toBe(null)
  button(element, 'Hold to talk').focus()
  await keyDown(' ')
  microphone.speak(record(1.8))
  await isHeard(1)

  // The connection is lost in a pause, and the next one takes a while. Nobody stops talking for that.
  await stack.run(({ upstream }, { delay }) => {
    upstream.use(delay(1_000, { on: 'handshake', times: 1 }))
    upstream.sockets[0]?.drop()
  })
  await becomes('recovering')
  microphone.speak(record(2.7))
  await becomes('active')
  await isHeard(2)

  // The key comes up with the last word.
  microphone.speak(record(0.9))
  await hasArrived()
  await keyUp(' ')
  await becomes('idle')

  await keyDown(' ')
  microphone.speak(record(1.2))
  await hasArrived()
  await keyUp(' ')
  await becomes('idle')

  expect(await arrived()).toEqual(Array.from({ length: lastNumber }, (_, index) => index + 1))
  const cues = await commands.srtCues(file)
  for (const [index, { startMs }] of cues.entries())
    expect(startMs).toBeGreaterThanOrEqual(cues[index - 1]?.endMs ?? 0)
  const heard = cues.map(({ text, startMs, endMs }) => ({ text, ms: endMs - startMs }))
  expect(heard.map(({ text }) => text)).toEqual(rows().map((row) => row.replace(/ …$/, '')))
  // A machine that hangs for seconds loses connections too, and the service begins a sentence again.
  const losses = events.filter(({ type }) => type === 'stream.reconnecting').length
  expect(heard).toEqual(losses === 1 ? SAID : heard)

  root.unmount()
  element.remove()
  voice.close()
})

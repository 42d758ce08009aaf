import { openBrowserStack } from '@stagepass/testing/browser'
import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { useStream } from '../stream/useStream.js'
import { toVtt } from './formats.js'
import { selectText } from './select.js'
import { useTranscript } from './useTranscript.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(() => {
  cleanup()
  document.body.replaceChildren()
})

/** The cues that a `<track>` of this page finds in the file. */
async function cuesOf(file: string): Promise<VTTCue[]> {
  const track = document.createElement('track')
  track.src = URL.createObjectURL(new Blob([file], { type: 'text/vtt' }))
  const video = document.createElement('video')
  video.append(track)
  document.body.append(video)
  track.track.mode = 'hidden'
  await vi.waitFor(() => expect(track.readyState).toBe(HTMLTrackElement.LOADED))
  return [...(track.track.cues ?? [])] as VTTCue[]
}

it('writes a .vtt that a <track> reads with the same cues', async () => {
  const texts = [
    'a --> b',
    '00:00:01.000 --> 00:00:02.000',
    'AT&T &amp; R&D &lt;',
    '<b>loud</b> <v Bob>clear</v> 1 < 2',
    'שלום, world (עולם)!',
    'one\n\ntwo\r\n3\rfour\n',
  ]
  const cues = await cuesOf(
    toVtt([
      ...texts.map((text, index) => ({
        text,
        final: true,
        startMs: index * 1_000,
        endMs: index * 1_000 + 750,
      })),
      { text: '', final: true },
      { text: 'dashes', final: true, speaker: 'Bob--', startMs: 300_000_000, endMs: 300_000_500 },
      { text: 'Striche', final: true, language: 'de--', startMs: 300_000_500, endMs: 300_001_000 },
      {
        text: 'late',
        final: true,
        speaker: 'Ada & <Ben>',
        language: 'en-US',
        startMs: 360_000_500,
        endMs: 1,
      },
    ]),
  )
  expect(cues.map((cue) => cue.getCueAsHTML().textContent)).toEqual([
    ...texts.slice(0, 5),
    'one\ntwo\n3\nfour',
    'dashes',
    'Striche',
    'late',
  ])
  expect(cues.map(({ startTime, endTime }) => [startTime, endTime])).toEqual([
    ...texts.map((_, index) => [index, index + 0.75]),
    [300_000, 300_000.5],
    [300_000.5, 300_001],
    [360_000.5, 360_001.5],
  ])
  // WebKit does not show the name of a voice.
  expect(cues.at(-1)?.text).toBe('<v Ada &\u2060 ‹Ben›><lang en-US>late</lang></v>')
})

/** Speech: 20 ms of a tone. */
const LOUD = Int16Array.from({ length: 320 }, (_, at) => 8_000 * Math.sin((at * 2 * Math.PI) / 32)).buffer
const QUIET = new ArrayBuffer(640)

it('shows what the service hears, word by word', async () => {
  await using stack = await openBrowserStack()
  const client = createVoiceClient({ url: stack.url })
  const grown: string[] = []
  let send: (frame: ArrayBuffer) => void = () => {}
  const onRender = (stream: { send: typeof send }): void => void (send = stream.send)
  function Page() {
    const stream = useStream('stt')
    onRender(stream)
    const { segments } = useTranscript(stream, { select: selectText })
    const last = segments.at(-1)
    if (last && !last.final) grown.push(last.text)
    return segments.map(({ key, text, startMs }) => (
      <p key={key} data-start={startMs}>
        {text}
      </p>
    ))
  }
  const page = render(<Page />, { wrapper: pageOf(client) })
  const lines = (): (string | null)[] =>
    [...page.container.querySelectorAll('p')].map(({ textContent }) => textContent)
  for (let index = 0; index < 100; index += 1) send(LOUD)
  await vi.waitFor(() => expect(lines()).toHaveLength(1))
  for (let index = 0; index < 50; index += 1) send(QUIET)
  await vi.waitFor(() => expect(lines()).toEqual([expect.stringMatching(/^Good .*\.$/)]))
  for (let index = 0; index < 250; index += 1) send(LOUD)
  await vi.waitFor(() => expect(lines()).toHaveLength(3))
  expect(grown.length).toBeGreaterThan(0)
  const starts = [...page.container.querySelectorAll('p')].map(({ dataset }) => Number(dataset.start))
  expect(starts).toEqual([0, 3_000, 6_600])
})

import { act, cleanup, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { stubAnimationFrames } from '../stream/animationFrames.test.kit.js'
import { useStream } from '../stream/useStream.js'
import { createVirtualVoice, type VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { toSrt, toText, toVtt } from './formats.js'
import { readText } from './readText.js'
import type { TranscriptText } from './Segment.js'
import { useTranscript, type UseTranscriptResult } from './useTranscript.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

const { frame, waiting } = stubAnimationFrames()

/** A page with a transcript. Messages are `TranscriptText`s as JSON; other messages have no text. */
async function open(options: { keep?: number; users?: boolean } = {}) {
  const voice = createVirtualVoice()
  if (options.users) voice.client.setUser('ada')
  let current: UseTranscriptResult | undefined
  let renders = 0
  const onRender = (transcript: UseTranscriptResult): void => {
    current = transcript
    renders += 1
  }
  function Page() {
    const stream = useStream<string, string>('stt')
    const transcript = useTranscript(stream, {
      select: (message) => (message.startsWith('{') ? (JSON.parse(message) as TranscriptText) : undefined),
      keep: options.keep,
    })
    onRender(transcript)
    return null
  }
  const page = render(<Page />, { wrapper: pageOf(voice.client) })
  await act(() => voice.advance(100))
  return {
    voice,
    page,
    renders: () => renders,
    /** Sends all texts in one animation frame. */
    hear(...texts: Partial<TranscriptText>[]) {
      act(() => {
        say(voice, ...texts)
        frame()
      })
    },
    get transcript() {
      return current as UseTranscriptResult
    },
    texts: () => current?.segments.map(({ text, final }) => (final ? text : `${text}…`)),
    keys: () => current?.segments.map(({ key }) => key),
  }
}

const say = ({ service }: VirtualVoice, ...texts: Partial<TranscriptText>[]): void => {
  for (const text of texts)
    service.connections.at(-1)?.send(JSON.stringify({ final: true, text: '', ...text }))
}

it('replaces a text that may still grow, and keeps one that is final', async () => {
  const page = await open()
  expect(page.transcript).toEqual({ segments: [], blocks: [], dropped: 0 })
  page.hear({ text: 'Good', final: false })
  expect(page.texts()).toEqual(['Good…'])
  page.hear({ text: 'Good morn', final: false }, { text: 'Good morning', final: false })
  expect(page.texts()).toEqual(['Good morning…'])
  page.hear({ text: 'Good morning.' }, { text: 'How', final: false })
  expect(page.texts()).toEqual(['Good morning.', 'How…'])
  expect(page.keys()).toEqual([0, 1])
})

it('matches growing texts by their ids, and separates speakers that speak at the same time', async () => {
  const page = await open()
  page.hear(
    { id: 1, text: 'one', final: false },
    { id: 2, text: 'two', final: false },
    { id: 1, text: 'One.' },
  )
  expect(page.texts()).toEqual(['One.', 'two…'])
  // A late text, and a correction.
  page.hear({ id: 1, text: 'on', final: false }, { id: 1, text: '' })
  expect(page.texts()).toEqual(['One.', 'two…'])
  page.hear({ id: 1, text: '1.' })
  expect(page.texts()).toEqual(['1.', 'two…'])

  page.hear(
    { speaker: 'Ada', text: 'a', final: false },
    { speaker: 'Ben', text: 'b', final: false },
    { speaker: 'Ada', text: 'A.' },
    { text: 'B.' },
  )
  expect(page.transcript.segments.slice(2)).toMatchObject([
    { text: 'A.', speaker: 'Ada' },
    { text: 'B.', final: true },
  ])
})

it('removes a growing text that becomes empty, and shows no empty text', async () => {
  const page = await open()
  page.hear({ text: '', final: false }, { text: ' ' })
  expect(page.texts()).toEqual([])
  page.hear({ text: 'noise', final: false })
  page.hear({ text: '' }, { text: 'Hello.' })
  expect(page.texts()).toEqual(['Hello.'])
  expect(page.keys()).toEqual([1])
})

it('keeps the texts when the connection is lost, although ids start again', async () => {
  const page = await open()
  page.hear({ id: 'u1', text: 'Good morning.' }, { id: 'u2', text: 'How', final: false })
  page.voice.service.connections.at(-1)?.close(1006)
  await act(() => page.voice.advance(2_000))
  page.hear({ id: 'u1', text: 'Where', final: false }, { id: 'u1', text: 'Where were we?' })
  expect(page.texts()).toEqual(['Good morning.', 'How…', 'Where were we?'])
})

it('continues with the times of a later connection', async () => {
  const page = await open()
  const cut = async (afterMs: number): Promise<void> => {
    await act(() => page.voice.advance(afterMs))
    page.voice.service.connections.at(-1)?.close(1006)
    await act(() => page.voice.advance(2_000))
  }
  page.hear({ text: 'Good morning.', startMs: 480, endMs: 5_600 })
  page.hear({ text: 'How', final: false, startMs: 6_000, endMs: 6_400 })
  // Cut in the middle of a sentence.
  await cut(6_500)
  page.hear({ id: 1, text: 'Where', final: false, startMs: 500, endMs: 900 })
  page.hear({ id: 1, text: 'Where were we?', startMs: 500, endMs: 1_700 })
  // The sound had waited for this connection, so it is longer than the connection.
  page.hear({ text: 'Here.', startMs: 3_000, endMs: 9_000 })
  await cut(0)
  page.hear({ text: 'Bye.', startMs: 500, endMs: 900 })
  const { segments } = page.transcript
  expect(segments.map(({ text }) => text)).toEqual([
    'Good morning.',
    'How',
    'Where were we?',
    'Here.',
    'Bye.',
  ])
  expect(segments.slice(0, 2)).toMatchObject([
    { startMs: 480, endMs: 5_600 },
    { startMs: 6_000, endMs: 6_400 },
  ])
  const [where, here, bye] = segments
    .slice(2)
    .map(({ startMs, endMs }) => ({ startMs: Math.round(startMs!), endMs: Math.round(endMs!) }))
  // The connection was opened within the two seconds after the cut.
  expect(where!.startMs).toBeGreaterThanOrEqual(6_500 + 500)
  expect(where!.startMs).toBeLessThanOrEqual(6_500 + 2_000 + 500)
  expect([where!.endMs - where!.startMs, here!.startMs - where!.startMs]).toEqual([1_200, 2_500])
  expect(bye!.startMs - here!.endMs).toBe(500)
})

it.each([5, {}, null, ['a'], true, undefined])('takes no text that is %o', async (text) => {
  const page = await open()
  page.hear({ text: text as string, final: true }, { text: 'good', final: true })
  expect(page.texts()).toEqual(['good'])
})

it('leaves out fields of a wrong type, so that a page can show each, and write its files', async () => {
  const page = await open()
  const odd = { text: 'one', final: 'yes', id: {}, speaker: {}, language: 7, startMs: '1', endMs: null }
  page.hear(odd as unknown as TranscriptText)
  page.hear({ text: 'two', final: true, speaker: null, id: [] } as unknown as TranscriptText)
  page.hear({ text: 'three', final: true, speaker: 3 } as unknown as TranscriptText)
  const { segments } = page.transcript
  expect(segments).toEqual([
    { key: 0, text: 'one', final: true },
    { key: 1, text: 'two', final: true },
    { key: 2, text: 'three', final: true, speaker: '3' },
  ])
  for (const write of [toText, toSrt, toVtt]) expect(write(segments)).toContain('two')
})

it('reads each field of a text once', () => {
  let reads = 0
  const changing = {
    get text(): unknown {
      reads += 1
      return reads > 1 ? reads : 'first'
    },
  }
  expect(readText(changing as TranscriptText)).toMatchObject({ text: 'first' })
  expect(reads).toBe(1)
})

it('does not change times that are dates', async () => {
  const page = await open()
  const startMs = Date.parse('2026-05-04T10:00:00Z')
  page.hear({ text: 'One.', startMs })
  page.voice.service.connections.at(-1)?.close(1006)
  await act(() => page.voice.advance(2_000))
  page.hear({ text: 'Two.', startMs: startMs + 5_000, endMs: startMs + 6_000 })
  expect(page.transcript.segments).toMatchObject([
    { startMs },
    { startMs: startMs + 5_000, endMs: startMs + 6_000 },
  ])
})

it('keeps as many segments as `keep`, and counts the dropped ones', async () => {
  const page = await open({ keep: 3 })
  page.hear(...['a', 'b', 'c', 'd', 'e'].map((text) => ({ text })))
  expect(page.texts()).toEqual(['c', 'd', 'e'])
  expect(page.transcript.dropped).toBe(2)
  page.hear({ text: 'f' })
  expect(page.transcript.dropped).toBe(3)
  expect(page.keys()).toEqual([3, 4, 5])
})

it('returns the segments in blocks, which are the same objects until they change', async () => {
  const page = await open({ keep: 250 })
  const texts = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({ id: from + index, text: `${from + index}` }))
  page.hear(...texts(0, 230))
  const [first, second, third] = page.transcript.blocks
  expect(page.transcript.blocks.map(({ key, segments }) => [key, segments.length])).toEqual([
    [0, 100],
    [1, 100],
    [2, 30],
  ])
  page.hear({ id: 229, text: 'corrected' })
  expect(page.transcript.blocks[0]).toBe(first)
  expect(page.transcript.blocks[1]).toBe(second)
  expect(page.transcript.blocks[2]).not.toBe(third)
  // The oldest are dropped. Each of the others stays in its block.
  page.hear(...texts(230, 390))
  expect(page.transcript.blocks.map(({ key, segments }) => [key, segments.length])).toEqual([
    [1, 60],
    [2, 100],
    [3, 90],
  ])
  expect(page.transcript.blocks.flatMap(({ segments }) => segments)).toEqual(page.transcript.segments)
  page.hear({ id: 390, text: 'one more' })
  expect(page.transcript.blocks[0]).not.toBe(second)
  const [, full] = page.transcript.blocks
  page.hear({ id: 391, text: 'one more' })
  expect(page.transcript.blocks[1]).toBe(full)
})

it('keeps 10,000 by default', async () => {
  const page = await open()
  page.hear(...Array.from({ length: 10_001 }, (_, index) => ({ id: index, text: `${index}` })))
  expect(page.transcript.segments).toHaveLength(10_000)
  expect(page.transcript.dropped).toBe(1)
})

it('renders once a frame, and not for messages without a text', async () => {
  const page = await open()
  page.hear({ text: 'first' })
  const before = page.renders()
  act(() => {
    say(page.voice, ...Array.from({ length: 100 }, (_, index) => ({ text: `${index}` })))
  })
  expect(page.renders()).toBe(before)
  act(frame)
  // StrictMode renders twice.
  expect(page.renders()).toBe(before + 2)
  expect(page.transcript.segments).toHaveLength(101)

  act(() => page.voice.service.connections.at(-1)?.send('a level'))
  expect(waiting()).toBe(0)
})

it('S35 starts again with a change of user', async () => {
  const page = await open({ users: true })
  page.hear({ text: "Ada's words." })
  // These messages are in flight when the user changes.
  say(page.voice, { text: "More of Ada's." })
  act(() => page.voice.client.setUser('ben'))
  expect(page.transcript.segments).toEqual([])
  await act(() => page.voice.advance(100))
  act(frame)
  expect(page.transcript.segments).toEqual([])
  page.hear({ text: "Ben's." })
  expect(page.texts()).toEqual(["Ben's."])
  expect(page.transcript.dropped).toBe(0)
})

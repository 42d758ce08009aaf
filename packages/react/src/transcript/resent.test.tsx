import { act, cleanup, render } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { stubAnimationFrames } from '../stream/animationFrames.test.kit.js'
import { useStream, type UseStreamResult } from '../stream/useStream.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import type { TranscriptText } from './Segment.js'
import { useTranscript, type UseTranscriptResult } from './useTranscript.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

const { frame } = stubAnimationFrames()
const FRAME_MS = 20

/** A page whose user speaks, with a transcript. Messages are `TranscriptText`s as JSON. */
async function open() {
  const voice = createVirtualVoice()
  let current: UseTranscriptResult | undefined
  let stream:
    | (Pick<UseStreamResult<unknown, unknown>, 'open' | 'close'> & { send: (frame: ArrayBuffer) => unknown })
    | undefined
  const onRender = (transcript: UseTranscriptResult, its: typeof stream): void => {
    current = transcript
    stream = its
  }
  const codec = {
    encode: (text: string) => text,
    decode: (data: unknown) => [JSON.parse(data as string) as TranscriptText],
    isFinal: (data: unknown) => (JSON.parse(data as string) as TranscriptText).final,
  }
  function Page() {
    const stream = useStream('stt', { codec, resend: {} })
    onRender(useTranscript(stream, { select: (text) => text }), stream)
    return null
  }
  render(<Page />, { wrapper: pageOf(voice.client) })
  await act(() => vi.dynamicImportSettled())
  await act(() => voice.advance(100))
  return {
    voice,
    say: async (ms: number, isSpeech = true): Promise<void> => {
      for (let left = ms; left > 0; left -= FRAME_MS) {
        await act(() => voice.advance(FRAME_MS))
        stream?.send(
          Int16Array.from({ length: 320 }, (_, at) => (isSpeech ? (at % 2 ? 5_000 : -5_000) : 0)).buffer,
        )
      }
    },
    hear: (text: string, more: Partial<TranscriptText> = {}): void => {
      act(() => {
        voice.service.connections.at(-1)?.send(JSON.stringify({ text, final: true, ...more }))
        frame()
      })
    },
    lose: async (): Promise<void> => {
      act(() => voice.service.connections.at(-1)?.drop())
      await act(() => voice.advance(2_000))
    },
    /** The user ends the session, and begins the next one. */
    again: async (): Promise<void> => {
      act(() => stream?.close())
      act(() => stream?.open())
      await act(() => voice.advance(100))
    },
    texts: () => current?.segments.map(({ text, final }) => (final ? text : `${text}…`)),
    times: () => current?.segments.map(({ startMs, endMs }) => [startMs, endMs]),
  }
}

describe('a transcript whose sound was sent again', () => {
  it('has each final word once', async () => {
    const { say, hear, lose, texts } = await open()
    await say(1_000)
    hear('Good morning.')
    await say(500)
    await lose()
    hear('Good', { final: false })
    hear('Good morning. How', { final: false })
    hear('Good morning. How are you?')
    hear('Good morning to you.')
    expect(texts()).toEqual(['Good morning.', 'How are you?', 'Good morning to you.'])
  })

  it('keeps what may still grow until the first text of the next connection', async () => {
    const { say, hear, lose, texts } = await open()
    await say(1_000)
    hear('Good morn', { final: false })
    await lose()
    expect(texts()).toEqual(['Good morn…'])
    hear('Good', { final: false })
    expect(texts()).toEqual(['Good…'])
    hear('Good morning.')
    expect(texts()).toEqual(['Good morning.'])
  })

  it('keeps the last words of a session that was closed, also if a later connection is lost', async () => {
    const { say, hear, lose, again, texts } = await open()
    await say(1_000)
    hear('Please call Doctor Meyer', { final: false })
    await again()
    await say(1_000)
    hear('Thank', { final: false })
    expect(texts()).toEqual(['Please call Doctor Meyer…', 'Thank…'])
    await lose()
    hear('Thank you.')
    expect(texts()).toEqual(['Please call Doctor Meyer…', 'Thank you.'])
  })

  it('has the times at which words were said, and takes no later word for a repeated one', async () => {
    const { say, hear, lose, texts, times } = await open()
    await say(1_000)
    await say(400, false)
    hear('Yes.', { startMs: 0, endMs: 1_000 })
    await say(600)
    await lose()
    // The next connection begins 300 ms before the second word.
    hear('Yes.', { startMs: 300, endMs: 900 })
    expect(texts()).toEqual(['Yes.', 'Yes.'])
    expect(times()).toEqual([
      [0, 1_000],
      [1_400, 2_000],
    ])
  })

  it('changes no text of a connection that got nothing again', async () => {
    const { say, hear, lose, texts } = await open()
    await say(1_000)
    await say(400, false)
    hear('Good morning.')
    await lose()
    await say(1_000)
    hear('Good morning.')
    expect(texts()).toEqual(['Good morning.', 'Good morning.'])
  })
})

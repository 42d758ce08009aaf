import { describe, expect, it } from 'vitest'
import { voiceTranslation } from '../codecs/voiceTranslation.js'
import type { VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { arrivals, eventsOf, type JoinedStream, openStream } from './joinStream.test.kit.js'
import type { StreamSettings } from './machine/settings.js'

/** `Good.` is a final text, `Good…` may still grow, anything else is not a text. */
const WORDS: StreamSettings = {
  setup: {
    isFinal: (data) => (typeof data === 'string' && /[.…]$/.test(data) ? data.endsWith('.') : undefined),
  },
}

const say = (voice: VirtualVoice, text: string): void => voice.service.connections.at(-1)?.send(text)

/** Finishes a stream, and records when it ended. */
function finish({ voice, stream }: { voice: VirtualVoice; stream: JoinedStream }, timeoutMs = 3_000) {
  const startedAt = voice.now()
  let tookMs: number | undefined
  void stream.finish(timeoutMs).then(() => (tookMs = voice.now() - startedAt))
  return { tookMs: () => tookMs }
}

async function spoken(settings = WORDS) {
  const page = openStream(settings)
  await page.voice.advance(100)
  page.stream.send('sound')
  return page
}

describe('finish', () => {
  it('accepts no more data, and closes after the last final text', async () => {
    const page = await spoken()
    const { voice, stream } = page
    const ending = finish(page)
    expect(stream.send('late')).toBe('dropped')
    // This text came before all data was sent.
    say(voice, 'Zero.')
    await voice.advance(1_000)
    expect(stream.snapshot().status).toBe('open')
    // The text of the previous sentence: the last one follows.
    say(voice, 'One.')
    await voice.advance(400)
    say(voice, 'Tw…')
    await voice.advance(1_000)
    expect(stream.snapshot().status).toBe('open')
    say(voice, 'a level')
    say(voice, 'Two.')
    await voice.advance(450)
    expect(stream.snapshot().status).toBe('open')
    await voice.advance(150)
    expect(stream.snapshot().status).toBe('closed')
    expect(ending.tookMs()).toBeLessThanOrEqual(3_000)
    expect(arrivals(voice)).toEqual(['sound'])
    expect(stream.stats()).toMatchObject({ sent: 1, dropped: 1 })
    expect(eventsOf(voice, 'stream.dropped')).toMatchObject([{ reason: 'ended', count: 1 }])
  })

  it('ends after a pause of a second, if no codec says which text is final', async () => {
    const page = await spoken({})
    const ending = finish(page)
    await page.voice.advance(1_500)
    for (let index = 0; index < 3; index += 1) {
      say(page.voice, 'text')
      await page.voice.advance(400)
    }
    expect(ending.tookMs()).toBeUndefined()
    await page.voice.advance(700)
    expect(ending.tookMs()).toBeLessThan(3_500)
    expect(page.stream.snapshot().status).toBe('closed')
  })

  it('waits no longer than its timeout, if the service sends nothing', async () => {
    const page = await spoken()
    const ending = finish(page, 700)
    await page.voice.advance(650)
    expect(ending.tookMs()).toBeUndefined()
    await page.voice.advance(150)
    expect(ending.tookMs()).toBeLessThanOrEqual(800)
    const other = await spoken()
    const second = finish(other)
    await other.voice.advance(2_950)
    expect(second.tookMs()).toBeUndefined()
    await other.voice.advance(150)
    expect(other.stream.snapshot().status).toBe('closed')
  })

  it('loses no data from before the stream was open', async () => {
    const page = openStream(WORDS, { handshakeMs: 4_000 })
    const { voice, stream } = page
    await voice.advance(50)
    for (const frame of ['a', 'b', 'c']) expect(stream.send(frame)).toBe('queued')
    const ending = finish(page, 1_000)
    expect(stream.send('late')).toBe('dropped')
    await voice.advance(4_500)
    expect(arrivals(voice)).toEqual(['a', 'b', 'c'])
    say(voice, 'A b c.')
    expect(ending.tookMs()).toBeUndefined()
    await voice.advance(600)
    expect(ending.tookMs()).toBeDefined()
    expect(stream.snapshot().status).toBe('closed')
  })

  it('is cancelled by the last user who releases the stream', async () => {
    const page = await spoken()
    const ending = finish(page)
    page.stream.leave()
    await page.voice.advance(300)
    expect(ending.tookMs()).toBeLessThanOrEqual(300)
    expect(page.voice.service.connections[0]?.status).toBe('closed')
  })

  it('is cancelled by open, and is completed at once by close', async () => {
    const page = await spoken()
    const { voice, stream } = page
    const ending = finish(page)
    expect(finish(page).tookMs()).toBeUndefined()
    await voice.advance(500)
    stream.open()
    await voice.advance(5_000)
    expect(ending.tookMs()).toBeLessThan(600)
    expect(stream.snapshot().status).toBe('open')
    expect(stream.send('more')).toBe('sent')

    const second = finish(page)
    stream.close()
    await voice.advance(0)
    expect(second.tookMs()).toBe(0)
    stream.open()
    await voice.advance(5_000)
    expect(stream.snapshot().status).toBe('open')
  })

  it('closes at once if no data waits and the stream is not open', async () => {
    const page = openStream(WORDS)
    const ending = finish(page)
    await page.voice.advance(1)
    expect(ending.tookMs()).toBeDefined()
    expect(page.stream.snapshot().status).toBe('closed')
    expect(page.voice.service.connections).toEqual([])
  })

  it('ends if the connection is lost after all was sent', async () => {
    const page = await spoken()
    const ending = finish(page)
    await page.voice.advance(100)
    page.voice.service.connections.at(-1)?.close(1006)
    await page.voice.advance(100)
    expect(ending.tookMs()).toBeDefined()
    await page.voice.advance(60_000)
    expect(page.voice.service.connections).toHaveLength(1)
  })

  it('gives up when the queued data is too old', async () => {
    const page = openStream({ ...WORDS, queue: { maxAgeMs: 2_000 } })
    await page.voice.advance(10)
    page.voice.suspend('freeze')
    page.stream.send('sound')
    const ending = finish(page)
    await page.voice.advance(1_900)
    expect(ending.tookMs()).toBeUndefined()
    await page.voice.advance(200)
    expect(ending.tookMs()).toBeDefined()
    expect(page.stream.snapshot().status).toBe('closed')
  })

  it('ends with its user', async () => {
    const page = await spoken()
    const ending = finish(page)
    page.voice.client.reset()
    await page.voice.advance(100)
    expect(ending.tookMs()).toBeDefined()
    expect(page.voice.timers).toBe(0)
  })
})

it('knows the last text of /vt: the translation, or the transcript without translation', () => {
  const languages = { source_language: 'en-US', target_language: 'es-ES', voice: 'female' } as const
  const { isFinal } = voiceTranslation(languages)
  const heard = { text: 'Good.', final: true }
  const finals = (...frames: object[]) => frames.map((frame) => isFinal?.(JSON.stringify(frame)))
  expect(
    finals(
      { transcript: { ...heard, final: false } },
      { transcript: heard },
      { translate: heard },
      { transcript: heard, translate: heard },
      { type: 'ready' },
    ),
  ).toEqual([false, false, true, true, undefined])
  expect(isFinal?.(new ArrayBuffer(2))).toBeUndefined()
  const untranslated = voiceTranslation({ ...languages, transcript: { translate: false } })
  expect(untranslated.isFinal?.(JSON.stringify({ transcript: heard }))).toBe(true)
})

import type { TranslationFrame as Frame } from '@stagepass/contract'
import { TranslationFrame } from '@stagepass/contract/schemas'
import { describe, expect, it } from 'vitest'
import { type Client, openStream } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { framesOf, tone } from '../speech/audio.test.kit.js'
import { loudness } from '../speech/pcm.js'

const START = Date.parse('2026-11-21T09:15:02.120Z')
const config = { source_language: 'en-US', target_language: 'es-ES', voice: 'female' }

/** A stream with a clock that stands still. */
async function setup() {
  const upstream = await createEmulator({ now: () => START })
  const client = await openStream(upstream, 'vt')
  return {
    client,
    configure: (more: object) => client.socket.send(JSON.stringify({ config: { ...config, ...more } })),
    [Symbol.asyncDispose]: () => upstream.close(),
  }
}

/** Reads frames until the condition is true. The text frames must be valid, without additional keys. */
async function read(
  client: Client,
  done: (frames: readonly Frame[], voice: readonly Buffer[]) => boolean,
): Promise<{ frames: Exclude<Frame, { type: string }>[]; voice: Buffer }> {
  const frames: Exclude<Frame, { type: string }>[] = []
  const voice: Buffer[] = []
  const [sent, read]: [unknown[], unknown[]] = [[], []]
  while (!done(frames, voice)) {
    const frame = await client.next()
    if (typeof frame !== 'string') voice.push(frame)
    else {
      const parsed = TranslationFrame.parse(JSON.parse(frame))
      read.push(parsed)
      sent.push(JSON.parse(frame))
      if (!('type' in parsed)) frames.push(parsed)
    }
  }
  // The schema leaves out what it cannot read.
  expect(read).toEqual(sent)
  return { frames, voice: Buffer.concat(voice) }
}

async function translate(more: object, audio: Buffer = Buffer.concat([tone(1.8), tone(3, 0)])) {
  await using ctx = await setup()
  ctx.configure(more)
  expect(await ctx.client.nextJson()).toEqual({ type: 'ready' })
  const sent = framesOf(audio, 640)
  for (const frame of sent) ctx.client.socket.send(frame)
  return await read(ctx.client, (_, voice) => voice.length === sent.length)
}

describe('/vt', () => {
  it('answers ready to the config, then transcript, translation and voice', async () => {
    const { frames, voice } = await translate({})
    const interim = frames.slice(0, -2)
    expect(interim.length).toBeGreaterThan(2)
    for (const frame of interim) expect(frame).toMatchObject({ transcript: { final: false } })
    expect(frames.slice(-2)).toEqual([
      {
        transcript: {
          text: 'Good morning everyone and thank you.',
          final: true,
          start: '2026-11-21T09:15:02.120+00:00',
          duration: 1_800,
          utterance_id: 'u1',
        },
      },
      { translate: { text: 'Buenos días a todos y gracias.', final: true, utterance_id: 'u1' } },
    ])
    expect(voice).toHaveLength(4.8 * 32_000)
    // Silent while it listens. Its voice follows the end of the sentence.
    expect(loudness(voice.subarray(0, 1.8 * 32_000))).toBe(0)
    expect(loudness(voice.subarray(2.4 * 32_000, 3.4 * 32_000))).toBeGreaterThan(0.02)
  })

  it('puts both texts of the second utterance into one frame', async () => {
    const { frames } = await translate({}, Buffer.concat([tone(1), tone(1, 0), tone(1), tone(1, 0)]))
    expect(frames.filter((frame) => frame.transcript && frame.translate)).toMatchObject([
      {
        transcript: { final: true, start: '2026-11-21T09:15:04.120+00:00', utterance_id: 'u2' },
        translate: { final: true, utterance_id: 'u2' },
      },
    ])
  })

  it.each([
    [undefined, ['transcript false', 'transcript true', 'translate true']],
    [{}, ['transcript true', 'translate true']],
    [{ interim: true }, ['transcript false', 'transcript true', 'translate true']],
    [{ translate: false }, ['transcript true']],
    [{ final: false }, ['translate true']],
    [{ interim: true, final: false, translate: false }, ['transcript false']],
    [{ interim: false, final: false, translate: false }, []],
  ])('transcript %j filters what is sent', async (transcript, expected) => {
    const { frames } = await translate({ transcript })
    const kinds = frames.flatMap((frame) =>
      Object.entries(frame).map(([kind, block]) => `${kind} ${(block as { final: boolean }).final}`),
    )
    expect([...new Set(kinds)]).toEqual(expected)
  })

  it('repeats the reference in every text, and in the error of a config', async () => {
    const metadata = { reference_id: 'call-17', tier: 'gold' }
    const { frames } = await translate({ metadata })
    for (const frame of frames.flatMap((one) => Object.values(one))) {
      expect(frame).toMatchObject({ reference_id: 'call-17' })
    }
    await using ctx = await setup()
    ctx.configure({ metadata, voice: 'robot' })
    expect(await ctx.client.nextJson()).toMatchObject({ error: { code: 400, reference_id: 'call-17' } })
  })

  it('recognises the words of the vocabulary, keeps them, and uses the dictionary', async () => {
    const speech = Buffer.concat([tone(3.6), tone(1, 0), tone(3.6), tone(1, 0)])
    const { frames } = await translate(
      {
        vocabulary: ['Stagepass', 'Node 20'],
        translation_dictionary: [
          { source: 'stand-up', target: 'reunión diaria' },
          { source: 'morning', target: 'tardes' },
          { source: 'Node 20', target: 'Nodo 20' },
          { source: '(', target: 'never' },
        ],
        transcript: { interim: false },
      },
      speech,
    )
    const texts = frames.flatMap(({ transcript, translate: translated }) => [
      transcript?.text,
      translated?.text,
    ])
    expect(texts.filter(Boolean)).toEqual([
      'Good morning everyone and thank you for joining the call today Stagepass.',
      'Buenos tardes a todos y gracias por unirse hoy a la llamada Stagepass.',
      'I would like to start the stand-up with the numbers from last week Node 20.',
      'Me gustaría empezar el reunión diaria con las cifras de la semana pasada Nodo 20.',
    ])
  })

  it('keeps the word of the vocabulary, and the dictionary, in a short utterance', async () => {
    const { frames } = await translate(
      {
        vocabulary: ['Stagepass'],
        translation_dictionary: [
          { source: 'Good', target: 'Muy buenos' },
          { source: 'call', target: 'never' },
        ],
        transcript: { interim: true },
      },
      Buffer.concat([tone(0.7), tone(1, 0)]),
    )
    const texts = frames.flatMap(({ transcript, translate: translated }) => [
      transcript?.text,
      translated?.text,
    ])
    expect(texts.filter(Boolean)).toEqual([
      'Good',
      'Good morning',
      'Good morning Stagepass.',
      'Muy buenos días Stagepass.',
    ])
  })

  it('ends the current utterance when no more audio arrives', async () => {
    await using ctx = await setup()
    ctx.configure({ transcript: { interim: false } })
    for (const frame of framesOf(tone(1), 640)) ctx.client.socket.send(frame)
    const { frames } = await read(ctx.client, (all) => all.length === 2)
    expect(frames).toMatchObject([{ transcript: { final: true } }, { translate: { final: true } }])
  })

  it('marks a language for which it has no sentences', async () => {
    const { frames } = await translate({ target_language: 'ja-JP' })
    expect(frames.at(-1)).toMatchObject({
      translate: { text: expect.stringMatching(/^\[ja-JP\] Good morning/) },
    })
  })

  it('accepts opus, and counts each frame as 20 ms of speech', async () => {
    await using ctx = await setup()
    ctx.configure({ audio: { format: 'opus', sample_rate: 16_000 }, transcript: { interim: false } })
    for (let frame = 0; frame < 20; frame += 1) ctx.client.socket.send(Buffer.from([1, 2, 3]))
    const { frames, voice } = await read(ctx.client, (all) => all.length === 2)
    expect(frames).toMatchObject([{ transcript: { duration: 400 } }, { translate: {} }])
    expect(voice).toHaveLength(20 * 640)
  })

  const wrong = (change: object) => JSON.stringify({ config: { ...config, ...change } })

  it.each([
    ['no config', '{}', 'config'],
    ['no JSON', 'hello', 'config'],
    ['a language without a region', wrong({ target_language: 'es' }), 'target_language'],
    ['an unknown voice', wrong({ voice: 'robot' }), 'voice'],
    ['another sample rate', wrong({ audio: { format: 'opus', sample_rate: 8_000 } }), 'audio.sample_rate'],
  ])('refuses a config with %s by an error frame before ready, and closes', async (_name, text, where) => {
    await using ctx = await setup()
    ctx.client.socket.send(text)
    expect(await ctx.client.nextJson()).toEqual({
      error: { code: 400, reason: 'invalid_request', description: expect.stringContaining(where) },
    })
    expect(await ctx.client.closed).toEqual({ code: 1008, reason: '' })
  })

  it('refuses audio before the config', async () => {
    await using ctx = await setup()
    ctx.client.socket.send(Buffer.alloc(640))
    expect(await ctx.client.nextJson()).toMatchObject({ error: { code: 400, reason: 'invalid_request' } })
    expect(await ctx.client.closed).toEqual({ code: 1008, reason: '' })
  })

  it('ignores an unknown text after it is ready', async () => {
    await using ctx = await setup()
    ctx.configure({})
    ctx.client.socket.send('{"type":"whatever"}')
    ctx.client.socket.send(Buffer.alloc(640))
    expect(await ctx.client.nextJson()).toEqual({ type: 'ready' })
    expect(await ctx.client.next()).toEqual(Buffer.alloc(640))
  })
})

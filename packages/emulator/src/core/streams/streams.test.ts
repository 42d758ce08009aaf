import type { Product } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { type Client, openStream } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'
import { framesOf, tone } from '../speech/audio.test.kit.js'
import { loudness } from '../speech/pcm.js'

interface Setup extends AsyncDisposable {
  readonly client: Client
}

async function setup(product: Product): Promise<Setup> {
  const upstream = await createEmulator()
  const client = await openStream(upstream, product)
  return { client, [Symbol.asyncDispose]: () => upstream.close() }
}

function sendAudio({ socket }: Client, audio: Buffer, frameBytes = 640): void {
  for (const frame of framesOf(audio, frameBytes)) socket.send(frame)
}

/** All frames up to and including one of this type. */
async function until(
  client: Client,
  type: string,
): Promise<{ json: Record<string, unknown>[]; audio: Buffer[] }> {
  const json: Record<string, unknown>[] = []
  const audio: Buffer[] = []
  while (json.at(-1)?.type !== type) {
    const frame = await client.next()
    if (typeof frame === 'string') json.push(JSON.parse(frame) as Record<string, unknown>)
    else audio.push(frame)
  }
  return { json, audio }
}

describe('/stt', () => {
  const speech = Buffer.concat([tone(0.4, 0), tone(1.5), tone(0.7, 0), tone(1), tone(0.2, 0)])

  async function transcribe(frameBytes: number): Promise<Record<string, unknown>[]> {
    await using ctx = await setup('stt')
    sendAudio(ctx.client, speech, frameBytes)
    ctx.client.socket.send('{"type":"finish"}')
    return (await until(ctx.client, 'finished')).json
  }

  it('transcribes what is loud: growing text, then the final one after a pause, with its place in time', async () => {
    const frames = await transcribe(640)
    const finals = frames.filter(({ final }) => final)
    expect(finals).toEqual([
      {
        type: 'transcript',
        text: 'Good morning everyone and thank.',
        final: true,
        start: 0.4,
        duration: 1.5,
        utterance_id: 'u1',
      },
      {
        type: 'transcript',
        text: 'I would like to.',
        final: true,
        start: 2.6,
        duration: 1,
        utterance_id: 'u2',
      },
    ])
    const growing = frames.filter(({ final, utterance_id }) => final === false && utterance_id === 'u1')
    expect(growing.map(({ text }) => text)).toEqual([
      'Good',
      'Good morning',
      'Good morning everyone',
      'Good morning everyone and',
      'Good morning everyone and thank',
    ])
  })

  it.each([2, 641, 2_560, 100_000])(
    'has the same result however the audio is split: frames of %i bytes',
    async (frameBytes) => {
      // An odd frame splits a sample. Its second half is in the next frame.
      expect(await transcribe(frameBytes)).toEqual(await transcribe(640))
    },
  )

  it('hears nothing in silence', async () => {
    await using ctx = await setup('stt')
    sendAudio(ctx.client, tone(3, 0.004))
    ctx.client.socket.send('{"type":"finish"}')
    expect((await until(ctx.client, 'finished')).json).toEqual([{ type: 'finished' }])
  })
})

describe('/tts', () => {
  it.each(['{"text":"Hello there world"}', 'Hello there world'])('speaks %s', async (text) => {
    await using ctx = await setup('tts')
    ctx.client.socket.send(text)
    const { json, audio } = await until(ctx.client, 'end')
    expect(json[0]).toEqual({
      type: 'start',
      id: 't1',
      text: 'Hello there world',
      sample_rate: 16_000,
      format: 'pcm_s16le',
    })
    expect(json.slice(1, -1)).toEqual([
      { type: 'mark', id: 't1', word: 'Hello', start: 0, end: 0.31 },
      { type: 'mark', id: 't1', word: 'there', start: 0.38, end: 0.69 },
      { type: 'mark', id: 't1', word: 'world', start: 0.76, end: 1.07 },
    ])
    expect(json.at(-1)).toEqual({ type: 'end', id: 't1', duration: 1.07 })
    const whole = Buffer.concat(audio)
    expect(whole.length / 2 / 16_000).toBeCloseTo(1.07 + 0.07, 3)
    for (const frame of audio) expect(frame.length).toBeLessThanOrEqual(3_200)
    expect(loudness(whole)).toBeGreaterThan(0.03)
  })

  it('speaks the same text in the same way, and another voice in another', async () => {
    await using ctx = await setup('tts')
    const speak = async (voice: string) => {
      ctx.client.socket.send(JSON.stringify({ text: 'One two three', voice }))
      return Buffer.concat((await until(ctx.client, 'end')).audio)
    }
    const female = await speak('female')
    expect(await speak('female')).toEqual(female)
    expect(await speak('male')).not.toEqual(female)
  })
})

describe('/voice-isolation', () => {
  async function isolate(client: Client, audio: Buffer): Promise<Buffer> {
    const frames = framesOf(audio, 1_000)
    for (const frame of frames) client.socket.send(frame)
    const out: Buffer[] = []
    for (const { length } of frames) {
      const frame = await client.next()
      expect(frame).toHaveLength(length)
      if (typeof frame !== 'string') out.push(frame)
    }
    return Buffer.concat(out)
  }

  it('attenuates noise and passes speech, each frame with the same length', async () => {
    await using ctx = await setup('viva')
    const out = await isolate(ctx.client, Buffer.concat([tone(1, 0.01), tone(1, 0.3), tone(1, 0.01)]))
    const second = (number: number) => loudness(out.subarray(number * 32_000 + 8_000, (number + 1) * 32_000))
    expect(second(0)).toBeLessThan(0.001)
    expect(second(1)).toBeGreaterThan(0.2)
    expect(second(2)).toBeLessThan(0.001)
  })

  it('does not change the received message', async () => {
    await using upstream = await createEmulator()
    await using client = await openStream(upstream, 'viva')
    const noise = tone(0.02, 0.01)
    await isolate(client, noise)
    expect(upstream.frames.map(({ data }) => data)).toEqual([noise])
  })

  it('accepts another threshold', async () => {
    await using ctx = await setup('viva')
    ctx.client.socket.send('{"threshold":0.001}')
    expect(await ctx.client.nextJson()).toEqual({ type: 'configured', threshold: 0.001 })
    const out = await isolate(ctx.client, tone(1, 0.01))
    expect(loudness(out.subarray(8_000))).toBeGreaterThan(0.006)
  })
})

it.each<[Product, string | Buffer]>([
  ['stt', 'hello'],
  ['tts', ''],
  ['tts', '   '],
  ['tts', '{"text":""}'],
  ['tts', '{"txt":"x"}'],
  ['tts', '{"text":7}'],
  ['tts', 'x'.repeat(1_001)],
  ['tts', Buffer.alloc(640)],
  ['viva', 'hello'],
  ['viva', '{"threshold":2}'],
  ['viva', '{"threshold":"0"}'],
])('%s says what it takes when it gets another message (%#)', async (product, message) => {
  await using ctx = await setup(product)
  ctx.client.socket.send(message)
  expect(await ctx.client.nextJson()).toMatchObject({ type: 'error', code: 'bad_frame' })
})

import { connectionsOf, parseTape } from '@stagepass/contract'
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { joinStream } from '../stream/joinStream.test.kit.js'
import { createVirtualVoice, type VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { recordVoice } from './recordVoice.js'

const say = ({ service }: VirtualVoice, data: string | ArrayBuffer): void =>
  service.connections.at(-1)?.send(data)

it('has the connections of the page, their texts, the sizes of sound, and times', async () => {
  const voice = createVirtualVoice()
  const recording = recordVoice(voice.client)
  const stream = joinStream(voice, { setup: { start: () => ['{"config":1}'] } })
  await voice.advance(15)
  stream.send(new ArrayBuffer(640))
  await voice.advance(100)
  say(voice, '{"text":"hello"}')
  await voice.advance(50)
  say(voice, new ArrayBuffer(320))
  voice.service.connections[0]?.close(1011, 'restart')
  await voice.advance(5_000)
  stream.close()
  const tape = parseTape(recording.stop())
  expect(connectionsOf(tape)).toEqual([
    {
      product: 'stt',
      sent: [
        { afterMs: 0, data: '{"config":1}' },
        { afterMs: 0, data: 640 },
      ],
      received: [
        { afterMs: 100, data: '{"text":"hello"}' },
        { afterMs: 150, data: 320 },
      ],
      close: { afterMs: 150, code: 1011, reason: 'restart' },
    },
    { product: 'stt', sent: [{ afterMs: 0, data: '{"config":1}' }], received: [], close: undefined },
  ])
  const kinds = tape.moments.map((moment) =>
    'data' in moment
      ? `${moment.type} ${String(moment.data)}`
      : 'value' in moment
        ? `${moment.type} ${String(moment.value.type ?? moment.value.what)}`
        : moment.type,
  )
  expect(kinds).toEqual(
    expect.arrayContaining([
      'out {"config":1}',
      'out 640',
      'note press',
      'event stream.reconnecting',
      'note drop',
    ]),
  )
  expect(kinds.at(-1)).toBe('event stream.closed')
})

it('has the sound of both sides only if it is asked to', async () => {
  const voice = createVirtualVoice()
  const [plain, full] = [recordVoice(voice.client), recordVoice(voice.client, { sound: true })]
  const stream = joinStream(voice)
  await voice.advance(50)
  const spoken = Uint8Array.of(1, 2, 3, 4, 5, 6)
  stream.send(spoken.subarray(2, 4))
  // The application uses its memory again.
  spoken.fill(0)
  stream.send(new Blob(['abc']))
  say(voice, Uint8Array.of(7, 8).buffer)
  const dataOf = (tape: string): unknown[] =>
    parseTape(tape).moments.flatMap((moment) => ('data' in moment ? [moment.data] : []))
  expect(dataOf(full.stop())).toEqual([Uint8Array.of(3, 4), 3, Uint8Array.of(7, 8)])
  expect(dataOf(plain.stop())).toEqual([2, 3, 2])
})

it('ends with `stop`, and when the user changes', async () => {
  const voice = createVirtualVoice()
  const [first, second] = [recordVoice(voice.client), recordVoice(voice.client)]
  joinStream(voice)
  await voice.advance(50)
  const stopped = first.stop()
  say(voice, 'more')
  expect(first.read()).toBe(stopped)
  expect(second.read()).toContain('more')
  voice.client.setUser('bob')
  joinStream(voice)
  await voice.advance(50)
  say(voice, 'of bob')
  expect(second.stop()).not.toContain('of bob')
})

describe('S68 a tape', () => {
  const KEYS = ['sk_live_4eC39HqLyjWDarjtT1zdp7dc', 'Zx81mQ0pL7vK2nR5tY9wB3cD6fG8hJ1k']
  const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'
  const PLANTED: readonly string[] = [
    '{"transcript":{"text":"Good morning, I am Ada Lovelace, write to ada.l+work@mail.example.org"}}',
    '{"text":"GRACE said it, and Hopper\'s colleague"}',
    String.raw`{"text":"\u0041da and Zo\u00eb"}`,
    'plain text of José, scripted-stt-1, and scripted%2Dstt%2D1',
    `{"error":{"reason":"api-key scripted-stt-1 is bad","key":"${KEYS[0]}"}}`,
    `{"deep":[{"ada":"${KEYS[1]}","jwt":"${JWT}"}]}`,
    `{"token":"${btoa('scripted-stt-1')}"}`,
  ]
  const FOUND =
    /ada|lovelace|grace|hopper|zoë|jos[eé]|@mail|scripted|sk_live|Zx81|eyJ|c2NyaXB0ZWQ|4eC39|of-bob/i

  async function record() {
    const voice = createVirtualVoice()
    voice.client.setUser('of-bob')
    const queryClient = new QueryClient()
    const recording = recordVoice(voice.client, { queryClient, hide: ['Zoë', 'José'] })
    joinStream(voice)
    await voice.advance(50)
    for (const text of PLANTED) say(voice, text)
    voice.service.connections[0]?.close(4_500, 'Ada Lovelace has no license')
    // The names are known later than they were said.
    queryClient.setQueryData(['meetings'], {
      pages: [
        {
          meetings: [
            {
              id: 'm1',
              participants: [
                { first_name: 'Ada', last_name: 'Lovelace', email: 'ada.l+work@mail.example.org' },
                { first_name: 'Grace', last_name: 'Hopper', email: null },
              ],
            },
          ],
        },
      ],
    })
    return recording.stop()
  }

  it('has no token, key, e-mail address or name of a participant', async () => {
    const tape = await record()
    expect(FOUND.exec(PLANTED.join('\n'))).not.toBeNull()
    // Not only as it is written, but as it is read.
    const read = parseTape(tape).moments.map((moment) => JSON.stringify(moment).replaceAll('\\"', '"'))
    expect(read.filter((text) => FOUND.test(text))).toEqual([])
    expect(FOUND.exec(tape)).toBeNull()
  })

  it('keeps what else was said, and each message has its form and about its length', async () => {
    const texts = parseTape(await record()).moments.flatMap((moment) =>
      moment.type === 'in' && typeof moment.data === 'string' ? [moment.data] : [],
    )
    expect(texts).toHaveLength(PLANTED.length)
    expect(texts[0]).toMatch(
      /^\{"transcript":\{"text":"Good morning, I am x+\d+( x+\d+)?, write to x+\d+"\}\}$/,
    )
    expect(texts[0]).toHaveLength(PLANTED[0]?.length ?? 0)
    expect(Object.keys(JSON.parse(texts[4] ?? '') as object)).toEqual(['error'])
  })
})

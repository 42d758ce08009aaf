// @vitest-environment jsdom
import { createTapeWriter, handshakesOf, parseTape, type TapedConnection } from '@stagepass/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clientOf } from '../client/createVoiceClient.js'
import { streamsOf } from '../stream/streamsOf.js'
import { createTestVoice, type TestVoice, type TestVoiceOptions } from '../testing/createTestVoice.js'
import { recordVoice } from './recordVoice.js'

/*
 * One tape, played to many pages that record themselves: the real client, BFF and emulator, without a network.
 * Only time and randomness are stubbed.
 */

// Loaded on demand: the first page would have to wait for them.
await Promise.all([import('../stream/lease/holdLease.js'), import('../stream/wire/createHandshakeCheck.js')])

const START = Date.parse('2026-11-28T12:03:00.000Z')
const LASTS_MS = 10_000

/** Sound each 20.1 ms, texts, a drop, a refused handshake, and a close of the service. */
const TAPE = ((): string => {
  const writer = createTapeWriter(new Date(START).toISOString())
  writer.add({ at: 0, type: 'connect', n: 1, product: 'stt' })
  writer.add({ at: 80, type: 'open', n: 1 })
  for (let nth = 0; nth < 200; nth += 1) {
    const at = 100 + nth * 20.1
    writer.add({ at, type: 'in', n: 1, data: 640 })
    if (nth % 25 === 0) writer.add({ at: at + 1.3, type: 'in', n: 1, data: `{"text":"sentence ${nth}"}` })
  }
  writer.add({ at: 4_200, type: 'close', n: 1, code: 1006, reason: '' })
  writer.add({ at: 4_300, type: 'connect', n: 2, product: 'stt' })
  writer.add({ at: 4_350, type: 'close', n: 2, code: 1006, reason: '', refused: 503 })
  writer.add({ at: 4_900, type: 'connect', n: 3, product: 'stt' })
  writer.add({ at: 5_000, type: 'open', n: 3 })
  writer.add({ at: 5_700.4, type: 'in', n: 3, data: 'the end' })
  writer.add({ at: 6_000, type: 'close', n: 3, code: 1011, reason: 'restart' })
  return writer.take()
})()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Enough turns of the event loop for all that one timer sends. */
async function turns(): Promise<void> {
  for (let left = 8; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets the time of the tape pass. It stands still while a request or a handshake is on its way. */
async function pass({ emulator }: TestVoice): Promise<void> {
  const onTheWay = new Set<number>()
  emulator.onWire((event) => {
    if (event.type === 'request') onTheWay.add(event.id)
    else if (event.type === 'handshake') onTheWay.add(event.socket)
    else onTheWay.delete('id' in event ? event.id : event.socket)
  })
  await turns()
  while (Date.now() < START + LASTS_MS) {
    if (onTheWay.size === 0) vi.advanceTimersToNextTimer()
    await turns()
  }
}

/** What happens in a page to which the tape is played, as a tape of its own. */
async function replay(options: TestVoiceOptions = {}): Promise<string> {
  vi.setSystemTime(START)
  using voice = createTestVoice({ tape: TAPE, ...options })
  const recording = recordVoice(voice.client)
  const stream = streamsOf(clientOf(voice.client)).of('stt', 'default')
  stream.join({ enabled: true, settings: () => ({}) })
  await pass(voice)
  return recording.stop()
}

const receivedOf = (tape: string): TapedConnection['received'][] =>
  handshakesOf(parseTape(tape)).flatMap((one) => ('received' in one ? [one.received] : []))

it('plays each message of the tape to the page at its time, to 1 ms', async () => {
  const [first = [], second = [], ...more] = receivedOf(await replay())
  const [tapedFirst = [], tapedSecond = []] = receivedOf(TAPE)
  // After the end of the tape the service is as usual.
  expect(more).toEqual([[]])
  const dataOf = (messages: TapedConnection['received']): unknown[] => messages.map(({ data }) => data)
  expect([first, second].map(dataOf)).toEqual([tapedFirst, tapedSecond].map(dataOf))
  const taped = [...tapedFirst, ...tapedSecond]
  const apart = [...first, ...second].map(({ afterMs }, nth) => afterMs - (taped[nth]?.afterMs ?? NaN))
  expect(apart.filter((ms) => !(Math.abs(ms) <= 1))).toEqual([])
})

it('1,000 replays have the same events, order and gaps', async () => {
  const first = (await replay()).split('\n')
  for (const type of [
    'stream.opened',
    'stream.reconnecting',
    'token.renewed',
    'drop',
    'sentence 175',
    'the end',
  ])
    expect(first.some((line) => line.includes(type))).toBe(true)
  for (let nth = 1; nth < 1_000; nth += 1) expect((await replay()).split('\n')).toEqual(first)
})

describe('in other chunks', () => {
  /** The texts with their times, and how many bytes of sound came before each. */
  const textsOf = (tape: string): unknown[] =>
    receivedOf(tape).flatMap((messages) => {
      let bytes = 0
      return messages.flatMap(({ afterMs, data }) => {
        if (typeof data === 'string') return [{ data, afterMs, bytes }]
        bytes += Number(data)
        return []
      })
    })

  it('the page has the same texts at the same times, and the same for the same seed', async () => {
    const plain = await replay()
    const different = new Set([plain])
    for (let seed = 1; seed <= 50; seed += 1) {
      const chunked = await replay({ rechunk: seed })
      expect(textsOf(chunked)).toEqual(textsOf(plain))
      expect(await replay({ rechunk: seed })).toBe(chunked)
      different.add(chunked)
    }
    expect(different.size).toBe(51)
  })
})

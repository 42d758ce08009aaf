import { describe, expect, it } from 'vitest'
import {
  connectionsOf,
  createTapeWriter,
  handshakesOf,
  parseTape,
  type RefusalCause,
  type TapeMoment,
} from './tape.js'

const write = (moments: readonly TapeMoment[]): string => {
  const writer = createTapeWriter('2026-11-28T12:03:00.000Z')
  for (const moment of moments) writer.add(moment)
  return writer.take()
}

const TALK: readonly TapeMoment[] = [
  { at: 0, type: 'connect', n: 1, product: 'vt' },
  { at: 81.5, type: 'open', n: 1 },
  { at: 82, type: 'out', n: 1, data: '{"config":{}}' },
  { at: 100, type: 'in', n: 1, data: 640 },
  { at: 110, type: 'out', n: 1, data: 320 },
  { at: 120.1, type: 'in', n: 1, data: 640 },
  { at: 125, type: 'in', n: 1, data: 320 },
  { at: 130, type: 'in', n: 1, data: '{"transcript":{"text":"a\\nb"}}' },
  { at: 140, type: 'note', value: { what: 'text' } },
  { at: 900, type: 'close', n: 1, code: 1006, reason: '' },
  { at: 901, type: 'event', value: { type: 'stream.reconnecting', lostBy: 'close' } },
  { at: 950, type: 'connect', n: 2, product: 'vt' },
  { at: 990, type: 'open', n: 2 },
  { at: 1_000, type: 'in', n: 2, data: 'x' },
  { at: 1_100, type: 'end', n: 2 },
]

it('a tape that is read has what was written, in the order of time', () => {
  const { startedAt, moments } = parseTape(write(TALK))
  expect(startedAt).toBe('2026-11-28T12:03:00.000Z')
  expect(moments).toEqual(TALK)
})

it('its connections are what a service plays', () => {
  expect(connectionsOf(parseTape(write(TALK)))).toEqual([
    {
      product: 'vt',
      sent: [
        { afterMs: 0.5, data: '{"config":{}}' },
        { afterMs: 28.5, data: 320 },
      ],
      received: [
        { afterMs: 18.5, data: 640 },
        { afterMs: 38.6, data: 640 },
        { afterMs: 43.5, data: 320 },
        { afterMs: 48.5, data: '{"transcript":{"text":"a\\nb"}}' },
      ],
      close: { afterMs: 818.5, code: 1006, reason: '' },
    },
    { product: 'vt', sent: [], received: [{ afterMs: 10, data: 'x' }], close: undefined },
  ])
})

it('a tape may have sound', () => {
  const sound = Uint8Array.from({ length: 640 }, (_, index) => index % 256)
  const talk: readonly TapeMoment[] = [
    { at: 0, type: 'connect', n: 1, product: 'vt' },
    { at: 1, type: 'open', n: 1 },
    { at: 2, type: 'out', n: 1, data: sound },
    { at: 22.1, type: 'out', n: 1, data: 640 },
    { at: 42.1, type: 'out', n: 1, data: new Uint8Array() },
  ]
  expect(parseTape(write(talk)).moments).toEqual(talk)
})

describe('a handshake that failed', () => {
  const FAILED: readonly TapeMoment[] = [
    { at: 0, type: 'connect', n: 1, product: 'stt' },
    { at: 5, type: 'close', n: 1, code: 1006, reason: '' },
  ]
  const checked = (at: number, value: object): TapeMoment => ({
    at,
    type: 'event',
    value: { type: 'stream.checked', product: 'stt', ...value },
  })

  const next: TapeMoment = { at: 8, type: 'connect', n: 2, product: 'stt' }
  const UNSEEN = undefined

  it.each<[string, readonly TapeMoment[], unknown, RefusalCause | undefined]>([
    ['the page has seen the reason', [], 'unauthorized', 'unauthorized'],
    ['the page has seen a status', [], 402, 402],
    [
      'the BFF has found the reason',
      [checked(9, { code: 'unauthorized', status: 403 })],
      UNSEEN,
      'unauthorized',
    ],
    ['the BFF has found a status', [checked(9, { code: 'STREAM_ERROR', status: 503 })], UNSEEN, 503],
    ['the BFF was accepted', [checked(9, {})], UNSEEN, undefined],
    [
      'the check was about another product',
      [checked(9, { code: 'unauthorized', product: 'tts' })],
      UNSEEN,
      undefined,
    ],
    [
      'the check was about the next handshake',
      [next, checked(9, { code: 'unauthorized' })],
      UNSEEN,
      undefined,
    ],
    ['a reason that no service has', [], 'constructor', undefined],
    ['a status that no service has', [], 1e9, undefined],
  ])('%s', (_, after, refused, expected) => {
    const moments = FAILED.map((moment) => (moment.type === 'close' ? { ...moment, refused } : moment))
    const tape = parseTape(write([...(moments as TapeMoment[]), ...after]))
    expect(handshakesOf(tape)).toEqual([{ product: 'stt', refused: expected }])
    expect(connectionsOf(tape)).toEqual([])
  })

  it('of which the page itself did not wait for the end is none', () => {
    const [connect] = FAILED
    expect(handshakesOf(parseTape(write([connect as TapeMoment, { at: 5, type: 'end', n: 1 }])))).toEqual([])
  })
})

it('a talk of ten minutes is under 1 MB: 50 frames a second in both directions, and two texts', () => {
  const writer = createTapeWriter('2026-11-28T12:03:00.000Z')
  writer.add({ at: 0, type: 'connect', n: 1, product: 'vt' })
  writer.add({ at: 0, type: 'open', n: 1 })
  for (let at = 0.3; at < 600_000; at += 20.1) {
    writer.add({ at, type: 'out', n: 1, data: 640 })
    writer.add({ at: at + 7.3, type: 'in', n: 1, data: 640 })
    if (Math.floor(at / 20.1) % 25 === 0)
      writer.add({ at, type: 'in', n: 1, data: 'a sentence of the talk '.repeat(4) })
  }
  expect(writer.take().length).toBeLessThan(1_000_000)
})

describe('what is no tape', () => {
  it.each([
    ['', 'its first line is not {"voicetape":1'],
    ['{"voicetape":2,"startedAt":"x"}', 'its first line is not'],
    ['<html>', 'its first line is not'],
    ['{"voicetape":1,"startedAt":"x"}\n{"at":1,"n":1,"open":true}\n{"at":"x"}', 'line 3 has no moment'],
    ['{"voicetape":1,"startedAt":"x"}\n{"at":1,"n":1,"in":[[1]]}', 'line 2 has no moment'],
    ['{"voicetape":1,"startedAt":"x"}\n{"at":1,"n":1,"in":[20]}', 'line 2 has no moment'],
    ['{"voicetape":1,"startedAt":"x"}\n{"at":1,"n":1,"in":[["not base64",0]]}', 'line 2 has no moment'],
    ['{"voicetape":1,"startedAt":"x"}\n{"at":-1,"n":1,"open":true}', 'line 2 has no moment'],
    ['{"voicetape":1,"startedAt":"x"}\n{"at":1,"n":1,"connect":"asr"}', 'line 2 has no moment'],
  ])('%j is refused, and the error names the line', (text, sentence) => {
    expect(() => parseTape(text)).toThrow(`Failed to read the tape: ${sentence}`)
  })
})

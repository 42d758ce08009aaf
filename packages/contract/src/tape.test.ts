import { describe, expect, it } from 'vitest'
import { connectionsOf, createTapeWriter, parseTape, type TapeMoment } from './tape.js'

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
        { afterMs: 48.5, data: '{"transcript":{"text":"a\\nb"}}' },
      ],
      close: { afterMs: 818.5, code: 1006, reason: '' },
    },
    { product: 'vt', sent: [], received: [{ afterMs: 10, data: 'x' }], close: undefined },
  ])
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
    ['{"voicetape":1,"startedAt":"x"}\n{"at":-1,"n":1,"open":true}', 'line 2 has no moment'],
    ['{"voicetape":1,"startedAt":"x"}\n{"at":1,"n":1,"connect":"asr"}', 'line 2 has no moment'],
  ])('%j is refused, and the error names the line', (text, sentence) => {
    expect(() => parseTape(text)).toThrow(`Failed to read the tape: ${sentence}`)
  })
})

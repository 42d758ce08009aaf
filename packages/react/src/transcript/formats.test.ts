import { expect, it } from 'vitest'
import { cuesOf, wordsOf } from '@stagepass/testing/ffmpeg'
import { toSrt, toText, toVtt } from './formats.js'
import type { TranscriptText } from './Segment.js'

const said = (text: string, more: Partial<TranscriptText> = {}): TranscriptText => ({
  text,
  final: true,
  ...more,
})

const HOUR = 3_600_000

/** Words that would break a format without escapes. */
const WORDS = [
  'a --> b',
  '00:00:01,000 --> 00:00:02,000',
  '00:00:01.000 --> 00:00:02.000',
  'AT&T &amp; R&D',
  '1 < 2 > 0',
  '<b>loud</b> <i>and</i> <v Bob>clear</v> </c>',
  '< b>spaced</ b> <1> <_x>',
  String.raw`{\an8}up {braces} {b} { a{b}`,
  '{y:i}slanted {c:$0000ff}red {one\nline}',
  String.raw`C:\New\names\here \Hard \{x\}`,
  'NOTE not a comment',
  'WEBVTT',
  '42',
  'שלום, world (עולם)!',
  'one\n\n\ntwo\r\n3\rfour\u2028five\n',
] as const

const SEGMENTS = WORDS.map((text, index) =>
  said(text, { startMs: index * 2_000, endMs: index * 2_000 + 1_500 }),
)

/** Players hide what is between braces, and SubRip cannot escape them. */
const withWideBraces = (text: string): string => text.replaceAll('{', '｛').replaceAll('}', '｝')

/** The lines of a text in a file. */
const shown = (text: string): string =>
  text
    .split(/[\n\r\u2028]+/)
    .filter(Boolean)
    .join('\n')

const TIMES = SEGMENTS.map(({ startMs, endMs }) => ({ startMs, endMs }))

it('writes an .srt that ffmpeg reads with the same cues', () => {
  const file = toSrt(SEGMENTS)
  expect(cuesOf(file, 'srt')).toMatchObject(TIMES)
  expect(wordsOf(file, 'srt')).toEqual(WORDS.map(shown).map(withWideBraces))
})

it('writes a .vtt that ffmpeg reads with the same cues', () => {
  const file = toVtt(SEGMENTS)
  expect(cuesOf(file, 'webvtt')).toMatchObject(TIMES)
  expect(wordsOf(file, 'webvtt')).toEqual(WORDS.map(shown))
})

it('writes the same cue as both formats want it', () => {
  const one = [said('Hello,\nthere', { startMs: 1_234.4, endMs: 2_000, speaker: 'A & B', language: 'en-US' })]
  expect(toSrt(one)).toBe('1\n00:00:01,234 --> 00:00:02,000\nA & B: Hello,\nthere\n\n')
  expect(toVtt(one)).toBe(
    'WEBVTT\n\n00:00:01.234 --> 00:00:02.000\n<v A &\u2060 B><lang en-US>Hello,\nthere</lang></v>\n\n',
  )
  expect(wordsOf(toVtt(one), 'webvtt')).toEqual(['Hello,\nthere'])
  const odd = [said('Hello', { speaker: '&amp;\n>B<', language: 'en"> --> ' })]
  expect(wordsOf(toVtt(odd), 'webvtt')).toEqual(['Hello'])
  const dashes = [said('Hello', { speaker: 'Bob--' }), said('there', { language: 'en--' })]
  expect(wordsOf(toVtt(dashes), 'webvtt')).toEqual(['Hello', 'there'])
  expect(toVtt(dashes).match(/-->/g)).toHaveLength(dashes.length)
  expect(toSrt([])).toBe('')
  expect(toVtt([])).toBe('WEBVTT\n\n')
})

it('leaves out empty texts, without gaps in the numbers', () => {
  const some = [said(''), said(' \r\n\0\u2029 '), said('one'), said('\n'), said('two')]
  expect(toText(some)).toBe('one\ntwo\n')
  expect(cuesOf(toSrt(some), 'srt').map(({ text }) => text)).toEqual(['one', 'two'])
  expect(cuesOf(toVtt(some), 'webvtt').map(({ text }) => text)).toEqual(['one', 'two'])
})

it.each([
  ['srt', toSrt],
  ['webvtt', toVtt],
] as const)('makes up times that are missing or wrong, in %s', (format, write) => {
  const times = (segments: TranscriptText[], zeroMs?: number): [number, number][] =>
    cuesOf(write(segments, { zeroMs }), format).map(({ startMs, endMs }) => [startMs, endMs])
  // Without times: one after the other, each as long as it takes to read.
  expect(times([said('short'), said('x'.repeat(50))])).toEqual([
    [0, 1_000],
    [1_000, 4_000],
  ])
  // Until the next one begins.
  expect(times([said('one', { startMs: 100 }), said('two', { startMs: 600, endMs: 700 })])).toEqual([
    [100, 600],
    [600, 700],
  ])
  // The end is before the start, at the start, or not a number.
  expect(times([said('one', { startMs: 5_000, endMs: 4_000 })])).toEqual([[5_000, 6_000]])
  expect(times([said('one', { startMs: 5_000, endMs: 5_000 })])).toEqual([[5_000, 6_000]])
  expect(times([said('one', { startMs: Number.NaN, endMs: Infinity })])).toEqual([[0, 1_000]])
  expect(times([said('one', { startMs: -500, endMs: 700 })])).toEqual([[0, 700]])
  expect(times([said('one', { startMs: -500, endMs: -100 })])).toEqual([[0, 1_000]])
  // The file must be sorted: ffmpeg sorts, but other programs do not.
  const late = write([said('late', { startMs: 9_000 }), said('early', { startMs: 1_000 })])
  expect(late.indexOf('early')).toBeLessThan(late.indexOf('late'))
  expect(
    times([
      said('b', { startMs: 9_000, endMs: 9_500 }),
      said('a', { startMs: 1_000, endMs: 2_000 }),
      said('c', { startMs: 9_000, endMs: 9_900 }),
    ]),
  ).toEqual([
    [1_000, 2_000],
    [9_000, 9_500],
    [9_000, 9_900],
  ])
  expect(times([said('long', { startMs: 123 * HOUR, endMs: 123 * HOUR + 7 })])).toEqual([
    [123 * HOUR, 123 * HOUR + 7],
  ])
})

it('begins at the first time if times are dates, or at zeroMs if it is set', () => {
  const startMs = Date.parse('2026-05-04T10:00:00Z')
  const some = [said('one', { startMs, endMs: startMs + 500 }), said('two', { startMs: startMs + 900 })]
  expect(cuesOf(toVtt(some), 'webvtt')).toMatchObject([{ startMs: 0, endMs: 500 }, { startMs: 900 }])
  expect(cuesOf(toSrt(some, { zeroMs: startMs - HOUR }), 'srt')).toMatchObject([
    { startMs: HOUR },
    { startMs: HOUR + 900 },
  ])
  expect(toSrt([said('one', { startMs: 700, endMs: 900 })], { zeroMs: 200 })).toContain(
    '00:00:00,500 --> 00:00:00,700',
  )
})

it('is a line for each segment as plain text, with its speaker', () => {
  expect(
    toText([said('Hello\nthere', { speaker: 'Ada\n' }), said('Hi', { speaker: '' }), said('<b> --> &')]),
  ).toBe('Ada: Hello there\nHi\n<b> --> &\n')
  expect(toText([])).toBe('')
})

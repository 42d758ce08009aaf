import { expect, it } from 'vitest'
import { MEETING_READERS } from './meetingFields.js'
import type { MeetingField } from './meetingFields.js'
import { kindOf } from './readValue.js'

/** The value that a reader finds, and the kinds of what it cannot read. */
function read(field: MeetingField, value: unknown): unknown[] {
  const kinds: string[] = []
  const found = MEETING_READERS[field](value, (part) => kinds.push(kindOf(part)))
  return [found, ...kinds]
}

it.each(['title', 'status', 'source', 'ownership'] as const)('reads %s as a text, or not at all', (field) => {
  expect(read(field, 'zoom')).toEqual(['zoom'])
  expect(read(field, '')).toEqual([''])
  expect(read(field, 42)).toEqual(['42'])
  for (const value of [null, undefined]) expect(read(field, value)).toEqual([null])
  expect(read(field, { en: 'Roadmap' })).toEqual([null, 'object'])
  expect(read(field, ['a'])).toEqual([null, 'list'])
  expect(read(field, true)).toEqual([null, 'boolean'])
  expect(read(field, Infinity)).toEqual([null, 'number'])
})

it.each([
  [63, 63],
  [0, 0],
  [63.5, 63.5],
  ['63', 63],
  [' 63.5 ', 63.5],
  ['1e3', 1_000],
  ['PT1H3M', 3_780],
  ['pt63m', 3_780],
  ['PT0S', 0],
  ['PT0.5H', 1_800],
  ['PT1M0,25S', 60.25],
  ['PT0.1S', 0.1],
  ['P1DT1S', 86_401],
  ['P2W', 1_209_600],
  ['P2D', 172_800],
  ['01:03:00', 3_780],
  ['1:03:00.5', 3_780.5],
])('reads the duration %j as %d seconds', (value, seconds) => {
  expect(read('duration', value)).toEqual([seconds])
})

it.each([
  '63 min',
  '1h 3m',
  '',
  ' ',
  'soon',
  '0x10',
  '63:00',
  '01:60:00',
  'P',
  'PT',
  'P1DT',
  'P1M',
  'P1Y',
  '-5',
  'NaN',
  '1e999',
  -1,
  Infinity,
  NaN,
  true,
  {},
  [63],
])('does not read the duration %j', (value) => {
  expect(read('duration', value)).toEqual([null, kindOf(value)])
})

it.each([
  ['2026-01-01T00:00:00.250Z', '2026-01-01T00:00:00.250Z'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T02:00+0200', '2026-01-01T00:00:00.000Z'],
  ['2025-12-31T19:00:00-05', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T00:00:00', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01 00:00:00', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01 00:00:00.123456 z', '2026-01-01T00:00:00.123Z'],
  ['2026-01-01t00:00:00,5z', '2026-01-01T00:00:00.500Z'],
  ['20260101T000000Z', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01', '2026-01-01T00:00:00.000Z'],
  ['20260101', '2026-01-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  [1_767_225_600, '2026-01-01T00:00:00.000Z'],
  [1_767_225_600.25, '2026-01-01T00:00:00.250Z'],
  [1_767_225_600_250, '2026-01-01T00:00:00.250Z'],
  ['1767225600', '2026-01-01T00:00:00.000Z'],
  ['1767225600250', '2026-01-01T00:00:00.250Z'],
])('reads the start %j as %s', (value, time) => {
  expect(read('started_at', value)).toEqual([time])
})

it.each([
  'tomorrow',
  '',
  '2026',
  '2026-02-30',
  '2026-13-01',
  '2026-01-01T25:00:00Z',
  '2026-01-01T00:00:00+99:00',
  '01/02/2026',
  '2026-01-01T00:00:00Z and more',
  0,
  '0',
  -1_767_225_600,
  20_260_101,
  1_767_225_600_000_000,
  9e15,
  Infinity,
  true,
  {},
  ['2026-01-01'],
])('does not read the start %j', (value) => {
  expect(read('started_at', value)).toEqual([null, kindOf(value)])
})

it('reads tags as identifiers, from a list or from a text with commas', () => {
  expect(read('tags', ['a', 7, { id: 8, name: 'Eight' }])).toEqual([['a', '7', '8']])
  expect(read('tags', 'sales, product,,')).toEqual([['sales', 'product']])
  for (const none of [[], '']) expect(read('tags', none)).toEqual([[]])
  expect(read('tags', ['a', {}, null, 1.5])).toEqual([['a'], 'object', 'number'])
  // An empty list would say that there are none.
  expect(read('tags', [{}])).toEqual([null, 'object'])
  expect(read('tags', null)).toEqual([null])
  expect(read('tags', { a: true })).toEqual([null, 'object'])
  expect(read('tags', 7)).toEqual([null, 'number'])
})

it('reads participants as people, and one person as a list', () => {
  const ada = { first_name: 'Ada', last_name: null, role: { id: 1 } }
  expect(read('participants', [ada])).toEqual([[ada]])
  expect(read('participants', ada)).toEqual([[ada]])
  expect(read('participants', [])).toEqual([[]])
  expect(read('participants', ['ada@example.com', 'Ben Ali', { status: 3 }])).toEqual([
    [{ email: 'ada@example.com' }, { first_name: 'Ben Ali' }, { status: '3' }],
  ])
  expect(read('participants', [{ first_name: { en: 'Ada' }, email: 'a@b' }])).toEqual([
    [{ first_name: null, email: 'a@b' }],
    'object',
  ])
  expect(read('participants', [ada, 7, null])).toEqual([[ada], 'number'])
  expect(read('participants', 'many')).toEqual([null, 'text'])
  expect(read('participants', 5)).toEqual([null, 'number'])
  expect(read('participants', null)).toEqual([null])
})

it('S11 reads at most 1,000 tags of a text, which is one value of a response', () => {
  const tagsOf = (count: number): string => Array.from({ length: count }, (_, at) => `t${at}`).join(',')
  expect(read('tags', tagsOf(1_000))).toMatchObject([{ length: 1_000 }])
  for (const text of [tagsOf(1_001), ','.repeat(1_000), 'a,'.repeat(4_000_000)])
    expect(read('tags', text)).toEqual([null, 'text'])
})

import { describe, expect, it } from 'vitest'
import { ASSUMED_MEETINGS_WIRE as ASSUMED } from './meetingsWire.js'
import { readMeeting, readMeetingsPage, readTags } from './readMeetings.js'

const nested = {
  items: 'data.items',
  cursor: 'data.paging.next',
  total: 'data.paging.all',
  meeting: 'data',
  tags: 'data.tags',
}

describe('a list response', () => {
  it('is read at the paths of the wire', () => {
    const rows = [{ id: 'a' }, { id: 'b', title: null }]
    const page = { rows, cursor: 'c', total: 9 }
    expect(readMeetingsPage({ meetings: rows, next_cursor: 'c', total: 9 }, ASSUMED)).toEqual(page)
    const body = { code: 0, message: 'Success', data: { items: rows, paging: { next: 'c', all: 9 } } }
    expect(readMeetingsPage(body, nested)).toEqual(page)
    expect(readMeetingsPage(body, ASSUMED)).toBeUndefined()
    expect(readMeetingsPage(rows, { ...ASSUMED, items: '' })).toEqual({ rows, cursor: null })
  })

  it.each([
    [undefined, null],
    [null, null],
    ['', null],
    [0, '0'],
    [7, '7'],
    ['c', 'c'],
  ])('with the cursor %j continues at %j', (cursor, expected) => {
    const body = { data: { items: [], paging: { next: cursor } } }
    expect(readMeetingsPage(body, nested)?.cursor).toBe(expected)
  })

  it.each([-1, '7', 1.5, null])('with the total %j has none', (total) => {
    expect(readMeetingsPage({ meetings: [], total }, ASSUMED)).toEqual({ rows: [], cursor: null })
  })

  it.each([
    ['a number', 41, '41'],
    ['the largest that JSON keeps', 9_007_199_254_740_991, '9007199254740991'],
  ])('with an id that is %s has it as text', (_, id, expected) => {
    expect(readMeetingsPage({ meetings: [{ id }] }, ASSUMED)?.rows).toEqual([{ id: expected }])
  })

  it.each([
    ['no array', { meetings: {} }],
    ['a number as a meeting', { meetings: [1] }],
    ['a meeting without an id', { meetings: [{ id: 'a' }, { title: 'b' }] }],
    ['an empty id', { meetings: [{ id: '' }] }],
    ['an id that has lost its last digits', JSON.parse('{"meetings":[{"id":9007199254740993}]}') as unknown],
    ['a fraction as an id', { meetings: [{ id: 1.5 }] }],
    ['an object as a cursor', { meetings: [], next_cursor: {} }],
    ['an inherited key', { __proto__: { meetings: [] } }],
    ['a text', 'meetings'],
    ['nothing', undefined],
  ])('with %s is none', (_, body) => {
    expect(readMeetingsPage(body, ASSUMED)).toBeUndefined()
  })

  it.each([
    ['seconds', 1_767_225_600, '2026-01-01T00:00:00.000Z'],
    ['seconds with a fraction', 1_767_225_600.25, '2026-01-01T00:00:00.250Z'],
    ['milliseconds', 1_767_225_600_250, '2026-01-01T00:00:00.250Z'],
    ['text', '2026-01-01', '2026-01-01'],
    ['a number that is no time', 9e15, 9e15],
    ['null', null, null],
  ])('with a start in %s has it as ISO 8601 where it is a time', (_, started_at, expected) => {
    const body = { meetings: [{ id: 'a', started_at, duration: 1_767_225_600 }] }
    expect(readMeetingsPage(body, ASSUMED)?.rows).toEqual([
      { id: 'a', started_at: expected, duration: 1_767_225_600 },
    ])
  })
})

it('reads one meeting and the tags at the paths of the wire', () => {
  const meeting = { id: 7, title: 'Roadmap' }
  expect(readMeeting(meeting, ASSUMED)).toEqual({ id: '7', title: 'Roadmap' })
  expect(readMeeting({ data: meeting }, nested)).toEqual({ id: '7', title: 'Roadmap' })
  expect(readMeeting({ data: meeting }, ASSUMED)).toBeUndefined()
  expect(readTags({ tags: ['a', { id: 1 }] }, ASSUMED)).toEqual(['a', { id: 1 }])
  expect(readTags({ data: { tags: ['a'] } }, nested)).toEqual(['a'])
  // An array is read as the tags, whatever the path is.
  expect(readTags(['a'], nested)).toEqual(['a'])
  expect(readTags({ tags: {} }, ASSUMED)).toBeUndefined()
})

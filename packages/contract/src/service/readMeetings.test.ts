import { describe, expect, it } from 'vitest'
import { ASSUMED_MEETINGS_WIRE as ASSUMED } from './meetingsWire.js'
import { readMeeting, readMeetingsPage, readTags } from './readMeetings.js'

const nested = {
  ...ASSUMED,
  items: 'data.items',
  cursor: 'data.paging.next',
  total: 'data.paging.all',
  meeting: 'data',
  tags: 'data.tags',
}

describe('a list response', () => {
  it('is read at the paths of the wire', () => {
    const rows = [{ id: 'a' }, { id: 'b', title: null }]
    const page = { rows, cursor: 'c', total: 9, unreadable: [] }
    expect(readMeetingsPage({ meetings: rows, next_cursor: 'c', total: 9 }, ASSUMED)).toEqual(page)
    const body = { code: 0, message: 'Success', data: { items: rows, paging: { next: 'c', all: 9 } } }
    expect(readMeetingsPage(body, nested)).toEqual(page)
    expect(readMeetingsPage(body, ASSUMED)).toBeUndefined()
    expect(readMeetingsPage(rows, { ...ASSUMED, items: '' })).toMatchObject({ rows, cursor: null })
  })

  it.each([
    [undefined, null],
    [null, null],
    ['', null],
    [false, null],
    [0, '0'],
    [7, '7'],
    ['c', 'c'],
    [{}, null, 'object'],
    [['c'], null, 'list'],
    [true, null, 'boolean'],
    [1.5, null, 'number'],
  ])('with the cursor %j continues at %j', (cursor, expected, kind?: string) => {
    const body = { data: { items: [{ id: 'a' }], paging: { next: cursor } } }
    expect(readMeetingsPage(body, nested)).toEqual({
      rows: [{ id: 'a' }],
      cursor: expected,
      total: undefined,
      unreadable: kind === undefined ? [] : [{ field: 'next_cursor', kind }],
    })
  })

  it.each([
    [45, 45],
    ['45', 45],
    [undefined, undefined],
    [null, undefined],
    [-1, undefined, 'number'],
    [1.5, undefined, 'number'],
    ['many', undefined, 'text'],
    [{}, undefined, 'object'],
  ])('with the total %j has %j', (total, expected, kind?: string) => {
    expect(readMeetingsPage({ meetings: [], total }, ASSUMED)).toEqual({
      rows: [],
      cursor: null,
      total: expected,
      unreadable: kind === undefined ? [] : [{ field: 'total', kind }],
    })
  })

  it.each([
    ['a number', 41, '41'],
    ['the largest that JSON keeps', 9_007_199_254_740_991, '9007199254740991'],
  ])('with an id that is %s has it as text', (_, id, expected) => {
    expect(readMeetingsPage({ meetings: [{ id }] }, ASSUMED)?.rows).toEqual([{ id: expected }])
  })

  it.each([
    ['a number', 1, 'number'],
    ['null', null, 'null'],
    ['a list', [], 'list'],
    ['without an id', { title: 'b' }, 'missing'],
    ['with an empty id', { id: '' }, 'text'],
    ['with an object as its id', { id: {} }, 'object'],
    ['with an id that has lost digits', JSON.parse('{"id":9007199254740993}') as unknown, 'number'],
    ['with a fraction as its id', { id: 1.5 }, 'number'],
    ['with an inherited id', JSON.parse('{"__proto__":{"id":"x"}}') as unknown, 'missing'],
  ])('without a meeting that is %s has the others', (_, odd, kind) => {
    expect(readMeetingsPage({ meetings: [{ id: 'a' }, odd, { id: 'b' }] }, ASSUMED)).toMatchObject({
      rows: [{ id: 'a' }, { id: 'b' }],
      unreadable: [{ field: 'id', kind }],
    })
  })

  it.each([
    ['no array', { meetings: {} }],
    ['an inherited key', { __proto__: { meetings: [] } }],
    ['a text', 'meetings'],
    ['nothing', undefined],
  ])('with %s is none', (_, body) => {
    expect(readMeetingsPage(body, ASSUMED)).toBeUndefined()
  })
})

it('reads one meeting and the tags at the paths of the wire', () => {
  const meeting = { id: 7, title: 'Roadmap' }
  expect(readMeeting(meeting, ASSUMED)?.row).toEqual({ id: '7', title: 'Roadmap' })
  expect(readMeeting({ data: meeting }, nested)?.row).toEqual({ id: '7', title: 'Roadmap' })
  expect(readMeeting({ data: meeting }, ASSUMED)).toBeUndefined()
  const tags = [{ id: 'a', name: 'A' }]
  expect(readTags({ tags }, ASSUMED)?.tags).toEqual(tags)
  expect(readTags({ data: { tags } }, nested)?.tags).toEqual(tags)
  // An array is read as the tags, whatever the path is.
  expect(readTags(tags, nested)?.tags).toEqual(tags)
  expect(readTags({ tags: {} }, ASSUMED)).toBeUndefined()
})

it('a tag is an identifier with a name, and one without an identifier costs no other', () => {
  const found = [
    'sales',
    7,
    { id: 8, name: 'Eight', color: { r: 1 } },
    { id: 'x', name: { en: 'X' } },
    { id: 'y', name: null },
    { name: 'no id' },
    null,
    [],
  ]
  expect(readTags(found, ASSUMED)).toEqual({
    tags: [
      { id: 'sales', name: 'sales' },
      { id: '7', name: '7' },
      { id: '8', name: 'Eight', color: { r: 1 } },
      { id: 'x', name: 'x' },
      { id: 'y', name: 'y' },
    ],
    unreadable: [
      { field: 'tags', kind: 'object' },
      { field: 'tags', kind: 'object' },
      { field: 'tags', kind: 'list' },
    ],
  })
})

it('a field that extraFields names comes as it is, also if the contract has it', () => {
  const wire = { ...ASSUMED, extraFields: ['notes', 'duration', 'tags'] }
  const row = { id: 'a', notes: { blocks: 1 }, duration: '63 min', tags: [{ key: 1 }], title: 5 }
  expect(readMeeting(row, wire)).toEqual({ row: { ...row, title: '5' }, unreadable: [] })
  expect(readTags([{ key: 1 }], wire)).toEqual({ tags: [{ key: 1 }], unreadable: [] })
})

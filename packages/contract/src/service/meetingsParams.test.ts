import { expect, it } from 'vitest'
import { MeetingsQuery } from '../schemas/meetings.js'
import { meetingsParams } from './meetingsParams.js'

it('writes filters with the names of the wire, and leaves out missing ones', () => {
  expect(
    meetingsParams({
      ownership: 'mine',
      sortBy: 'last_modified',
      order: 'oldest',
      search: '  road map ',
      from: new Date('2026-01-02T03:04:05.678Z'),
      to: '2026-02-01',
      tags: ['b', 'a', 'b'],
      fields: ['title', 'participants'],
      pageSize: 50,
    }),
  ).toEqual({
    ownership: 'mine',
    sort_by: 'last_modified',
    order: 'oldest',
    q: 'road map',
    from: '2026-01-02T03:04:05.678Z',
    to: '2026-02-01',
    tags: 'a,b',
    fields: 'participants,title',
    limit: '50',
  })
  expect(meetingsParams({ search: ' ', tags: [], fields: [], from: undefined })).toEqual({})
})

it('writes an item with a comma as a list that the BFF refuses, not as two items', () => {
  for (const item of ['a,b', ',a', 'a,', ','])
    expect(MeetingsQuery.safeParse(meetingsParams({ tags: ['x', item] })).error?.issues[0]?.path[0]).toBe(
      'tags',
    )
})

it('reports an invalid date as an error of the request, not of the render', () => {
  expect(meetingsParams({ from: new Date('no date') })).toEqual({ from: 'Invalid Date' })
})

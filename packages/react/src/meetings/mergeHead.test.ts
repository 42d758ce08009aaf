import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeHead, uniqueMeetings } from './mergeHead.js'
import type { MeetingsPage } from './meetingsOptions.js'

interface Row {
  readonly id: string
  readonly title?: string
}

const page = (ids: string, next: string | null, title?: string): MeetingsPage<Row> => ({
  meetings: ids.split('').map((id) => ({ id, ...(title && { title }) })),
  next_cursor: next,
})
const pagesOf = (...pages: MeetingsPage<Row>[]) => ({
  pages,
  pageParams: [null, ...pages.slice(0, -1).map(({ next_cursor }) => next_cursor)],
})
const ids = (pages: readonly MeetingsPage<Row>[]): string =>
  uniqueMeetings(pages)
    .map(({ id }) => id)
    .join('')

it('shows a meeting that is on two pages once, at its first place', () => {
  expect(ids([page('abc', '1'), page('cde', null)])).toBe('abcde')
})

describe('mergeHead', () => {
  const old = pagesOf(page('abc', '1'), page('def', '2'))

  it('puts new meetings on top and keeps those that were pushed down, without duplicates', () => {
    const merged = mergeHead(old, page('xab', 'h'), false)
    expect(ids(merged.pages)).toBe('xabcdef')
    expect(merged.pages.map(({ next_cursor }) => next_cursor)).toEqual(['1', '2'])
    expect(merged.pageParams).toEqual([null, '1'])
  })

  it('has the fresh number of meetings on each page, because the list shows that of the last one', () => {
    const loaded = pagesOf({ ...page('abc', '1'), total: 6 }, { ...page('def', '2'), total: 6 })
    const merged = mergeHead(loaded, { ...page('xab', 'h'), total: 7 }, false)
    expect(merged.pages.map(({ total }) => total)).toEqual([7, 7])
  })

  it('updates meetings that were already loaded', () => {
    const merged = mergeHead(old, page('abc', 'h', 'new title'), false)
    expect(
      uniqueMeetings(merged.pages)
        .slice(0, 3)
        .map(({ title }) => title),
    ).toEqual(['new title', 'new title', 'new title'])
  })

  it('drops a deleted meeting above one that is still there', () => {
    expect(ids(mergeHead(old, page('acd', 'h'), false).pages)).toBe('acdef')
  })

  it('keeps meetings that may have moved, in a list sorted by `last_modified`', () => {
    expect(ids(mergeHead(old, page('cxy', 'h'), true).pages)).toBe('cxyabdef')
    expect(ids(mergeHead(old, page('cxy', 'h'), false).pages)).toBe('cxydef')
  })

  it('removes a meeting that moved up from its old place', () => {
    expect(ids(mergeHead(old, page('fab', 'h'), true).pages)).toBe('fabcde')
  })

  it('starts again if there would be a gap, if the fresh page is the whole list, and if there was no list', () => {
    const fresh = page('xyz', 'h')
    expect(mergeHead(old, fresh, false)).toEqual(pagesOf(fresh))
    expect(mergeHead(old, page('ab', null), false)).toEqual(pagesOf(page('ab', null)))
    expect(mergeHead<Row>(undefined, fresh, false)).toEqual(pagesOf(fresh))
  })

  it('never loses a meeting, shows one twice or breaks the order after any inserts and deletes', () => {
    const size = 4
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 16 }),
        fc.integer({ min: 0, max: 5 }),
        fc.uniqueArray(fc.integer({ min: 0, max: 15 }), { maxLength: 4 }),
        (count, inserted, deleted) => {
          const before = Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i))
          const gone = before.filter((_, i) => deleted.includes(i)).join('')
          const after = [
            ...Array.from({ length: inserted }, (_, i) => String.fromCharCode(65 + i)),
            ...before.filter((id) => !gone.includes(id)),
          ].join('')
          const loaded = pagesOf(
            page(before.slice(0, size).join(''), '4'),
            page(before.slice(size).join(''), null),
          )
          const fresh = after.slice(0, size)
          const merged = ids(mergeHead(loaded, page(fresh, after.length > size ? 'h' : null), false).pages)
          expect(merged.startsWith(fresh)).toBe(true)
          expect(new Set(merged).size).toBe(merged.length)
          // Meetings that were deleted below the fresh page are still known. All others are equal to the
          // server's, or are on a page that is not loaded.
          const known = merged
            .split('')
            .filter((id) => !gone.includes(id))
            .join('')
          expect([after, fresh]).toContain(known)
        },
      ),
      { seed: 7 },
    )
  })
})

import type { InfiniteData } from '@tanstack/react-query'
import type { MeetingsPage } from './meetingsOptions.js'

interface Identified {
  readonly id: string
}

/**
 * The meetings of all pages, without duplicates: if the list changes between two pages, a meeting can be on
 * both. The first one is kept.
 */
export function uniqueMeetings<TMeeting extends Identified>(
  pages: readonly MeetingsPage<TMeeting>[],
): TMeeting[] {
  const byId = new Map<string, TMeeting>()
  for (const { meetings } of pages) {
    for (const meeting of meetings) {
      if (!byId.has(meeting.id)) byId.set(meeting.id, meeting)
    }
  }
  return [...byId.values()]
}

/**
 * Merges a fresh first page into the loaded pages, which are not fetched again.
 *
 * 1. Rows of the fresh page come first.
 * 2. Then rows of the old first page that were pushed down.
 * 3. Then the other pages, unchanged but for the fresh `total`.
 *
 * A row that is missing in the fresh page was deleted if it was above a row that is still there, unless the
 * list is sorted by `last_modified`: then it may have moved. If the two first pages share no row, or the
 * fresh page is the whole list, the fresh page replaces the list.
 */
export function mergeHead<TMeeting extends Identified>(
  old: InfiniteData<MeetingsPage<TMeeting>, string | null> | undefined,
  head: MeetingsPage<TMeeting>,
  canMove: boolean,
): InfiniteData<MeetingsPage<TMeeting>, string | null> {
  const [first, ...rest] = old?.pages ?? []
  const fresh = new Set(head.meetings.map((meeting) => meeting.id))
  const anchor = first?.meetings.map((meeting) => fresh.has(meeting.id)).lastIndexOf(true) ?? -1
  if (!first || anchor < 0 || head.next_cursor === null) return { pages: [head], pageParams: [null] }

  const without = (meetings: readonly TMeeting[]): TMeeting[] =>
    meetings.filter((meeting) => !fresh.has(meeting.id))
  const pushedDown = without(canMove ? first.meetings : first.meetings.slice(anchor + 1))
  return {
    // The merged first page ends where the old one ended, so it keeps the old cursor, unless it is the only
    // page: the fresh cursor lives longer, and rows that come twice are shown once.
    pages: [
      {
        ...head,
        meetings: [...head.meetings, ...pushedDown],
        next_cursor: rest.length > 0 ? first.next_cursor : head.next_cursor,
      },
      ...rest.map((page) => ({
        ...page,
        ...(head.total !== undefined && { total: head.total }),
        meetings: without(page.meetings),
      })),
    ],
    pageParams: old?.pageParams ?? [null],
  }
}

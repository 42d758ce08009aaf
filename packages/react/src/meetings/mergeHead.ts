import type { InfiniteData } from '@tanstack/react-query'
import type { MeetingsPage } from './meetingsOptions.js'

interface Identified {
  readonly id: string
}

/** The meetings of all pages, each once: a list that shifts under its cursors shows some of them twice. The first one stays. */
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
 * A fresh first page laid over the pages in hand, without asking for the others again.
 *
 * What the fresh page holds comes first, as it says. Below it follow the meetings of the old first page that were pushed down, then the other
 * pages as they were. A meeting that stood above one that is still there, and is gone from the fresh page, was deleted: unless the list is
 * sorted by what changes (`last_modified`), where it may as well have moved. Where the two first pages have nothing in common the rest can
 * no longer be joined without a gap, and the list begins anew with the fresh page; so too where that is the whole list.
 */
export function mergeHead<TMeeting extends Identified>(
  old: InfiniteData<MeetingsPage<TMeeting>, string | null> | undefined,
  head: MeetingsPage<TMeeting>,
  canMove: boolean,
): InfiniteData<MeetingsPage<TMeeting>, string | null> {
  const [first, ...rest] = old?.pages ?? []
  const fresh = new Set(head.meetings.map((meeting) => meeting.id))
  const anchor = first?.meetings.findLastIndex((meeting) => fresh.has(meeting.id)) ?? -1
  if (!first || anchor < 0 || head.next_cursor === null) return { pages: [head], pageParams: [null] }

  const without = (meetings: readonly TMeeting[]): TMeeting[] =>
    meetings.filter((meeting) => !fresh.has(meeting.id))
  const pushedDown = without(canMove ? first.meetings : first.meetings.slice(anchor + 1))
  return {
    // The old cursor stands where the old first page ended, and so does what is now the first page.
    pages: [
      { ...head, meetings: [...head.meetings, ...pushedDown], next_cursor: first.next_cursor },
      ...rest.map((page) => ({ ...page, meetings: without(page.meetings) })),
    ],
    pageParams: old?.pageParams ?? [null],
  }
}

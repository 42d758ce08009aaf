import type { SortField } from '@stagepass/contract'
import { DEFAULT_MEETING_FIELDS } from '@stagepass/contract'
import type { MeetingFieldName, MeetingsFilters } from '@stagepass/react'

/** What stands in the form, as its controls hold it: `from` and `to` are days, such as `2026-11-20`. */
export type Filters = Omit<MeetingsFilters<readonly MeetingFieldName[]>, 'pageSize'> & {
  readonly from?: string
  readonly to?: string
}

export const NO_FILTERS: Filters = { fields: DEFAULT_MEETING_FIELDS }

/** The days of the form as moments in the reader's time zone: both days are meant whole. */
export function boundsOf({ from, to }: Filters): { from: Date | undefined; to: Date | undefined } {
  return {
    from: from ? new Date(`${from}T00:00`) : undefined,
    to: to ? new Date(`${to}T23:59:59.999`) : undefined,
  }
}

/**
 * The dates that the list is sorted by, as the emulator names them. A service shows them only if its field
 * names are known.
 */
const SORT_DATES: Readonly<Partial<Record<SortField, MeetingFieldName>>> = {
  date: 'created_at',
  last_modified: 'updated_at',
}

/**
 * The chosen fields, and the one by which the list is sorted: an order by a value that is not shown looks
 * like none.
 */
export function fieldsOf(
  { fields = [], sortBy = 'date' }: Filters,
  hasSortDates: boolean,
): readonly MeetingFieldName[] {
  const date = SORT_DATES[sortBy]
  // No field at all means the default ones.
  return hasSortDates && date !== undefined
    ? [...(fields.length > 0 ? fields : DEFAULT_MEETING_FIELDS), date]
    : fields
}

/** With or without one item. */
export function toggled<TItem>(items: readonly TItem[], item: TItem): readonly TItem[] {
  return items.includes(item) ? items.filter((other) => other !== item) : [...items, item]
}

import type { SortField } from '@stagepass/contract'
import { MAIN_HOLDER, type MeetingRow } from '../store/rows.js'
import type { ListQuery, MeetingsOrder, Position } from './MeetingsQuery.js'

const SORT_KEYS: Readonly<Record<SortField, (row: MeetingRow) => number>> = {
  date: (row) => Date.parse(row.created_at),
  duration: (row) => row.duration,
  last_modified: (row) => Date.parse(row.updated_at),
}

export function positionOf(row: MeetingRow, { sortBy }: MeetingsOrder): Position {
  return { key: SORT_KEYS[sortBy](row), id: row.id }
}

/**
 * Can the key holder see it? Owned and shared meetings, in any state, but not those of public links and the
 * workspace.
 */
export function isVisible(row: MeetingRow, holder: string): boolean {
  if ((row.holder ?? MAIN_HOLDER) !== holder) return false
  return row.visibility === 'owned' || row.visibility === 'shared'
}

/**
 * The meetings of all pages of a key holder's list, in order. Equal keys are ordered by id, so the order is
 * total.
 */
export function selectMeetings(
  rows: readonly MeetingRow[],
  holder: string,
  { keeps, order }: Pick<ListQuery, 'keeps' | 'order'>,
): MeetingRow[] {
  return rows
    .filter((row) => isVisible(row, holder) && !row.processing && keeps(row))
    .toSorted((one, other) => compare(positionOf(one, order), positionOf(other, order), order))
}

/** Is the meeting after this position of the list? */
export function isBehind(row: MeetingRow, position: Position, order: MeetingsOrder): boolean {
  return compare(positionOf(row, order), position, order) > 0
}

function compare(one: Position, other: Position, { order }: MeetingsOrder): number {
  const ascending = one.key - other.key || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
  return order === 'newest' ? -ascending : ascending
}

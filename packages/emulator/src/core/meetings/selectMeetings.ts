import type { SortField } from '@stagepass/contract'
import type { MeetingRow, NoteBlock } from '../store/rows.js'
import { MAIN_HOLDER } from '../store/rows.js'
import type { MeetingsFilter, MeetingsOrder, Position } from './MeetingsQuery.js'

const SORT_KEYS: Readonly<Record<SortField, (row: MeetingRow) => number>> = {
  date: (row) => Date.parse(row.created_at),
  duration: (row) => row.duration,
  last_modified: (row) => Date.parse(row.updated_at),
}

export function positionOf(row: MeetingRow, { sortBy }: MeetingsOrder): Position {
  return { key: SORT_KEYS[sortBy](row), id: row.id }
}

/** Whose list a meeting belongs to. */
export function holderOf(row: MeetingRow): string {
  return row.holder ?? MAIN_HOLDER
}

/** Can a key holder see it? Owned and shared meetings, in any state, but not those of public links and the workspace. */
export function isVisible(row: MeetingRow): boolean {
  return row.visibility === 'owned' || row.visibility === 'shared'
}

/** The meetings of all pages of the list, in order. Equal keys are ordered by id, so the order is total. */
export function selectMeetings(
  rows: readonly MeetingRow[],
  filter: MeetingsFilter,
  order: MeetingsOrder,
): MeetingRow[] {
  const terms = foldText(filter.q).split(/\s+/).filter(Boolean)
  return rows
    .filter((row) => isVisible(row) && !row.processing && matches(row, filter, terms))
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

function matches(row: MeetingRow, filter: MeetingsFilter, terms: readonly string[]): boolean {
  if (filter.ownership === 'mine' && row.visibility !== 'owned') return false
  if (filter.ownership === 'shared' && row.visibility !== 'shared') return false
  const startedAtMs = Date.parse(row.started_at)
  if (startedAtMs < filter.fromMs || startedAtMs > filter.toMs) return false
  if (filter.tags.length > 0 && !filter.tags.some((tag) => row.tags.includes(tag))) return false
  if (terms.length === 0) return true
  const text = searchedText(row)
  return terms.every((term) => text.includes(term))
}

/** Title, notes and participants. The transcript is not searched. */
function searchedText({ title, notes, participants }: MeetingRow): string {
  const people = participants.flatMap(({ first_name, last_name, email }) => [first_name, last_name, email])
  return foldText([title, ...people, ...noteTexts(notes.blocks)].filter(Boolean).join('\n'))
}

function noteTexts(blocks: readonly NoteBlock[]): string[] {
  return blocks.flatMap((block) => [
    block.text ?? '',
    block.assignee ?? '',
    ...noteTexts(block.children ?? []),
  ])
}

/** Without regard to case and accents: "Zoe" finds "Zoë". */
function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

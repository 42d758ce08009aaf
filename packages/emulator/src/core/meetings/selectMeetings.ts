import { MEETINGS_PARAMS, type SortField } from '@stagepass/contract'
import type { MeetingsQuery } from '@stagepass/contract/schemas'
import { MAIN_HOLDER, type MeetingRow, type NoteBlock } from '../store/rows.js'
import type { Position } from './cursor.js'

type Test = (row: MeetingRow) => boolean

/** The parameters that are not filters. */
type OtherRole = 'limit' | 'cursor' | 'sort_by' | 'order' | 'fields'

type Filters = {
  readonly [TRole in Exclude<keyof MeetingsQuery, OtherRole>]: (
    value: NonNullable<MeetingsQuery[TRole]>,
  ) => Test
}

/** The meetings that each filter keeps. (Contract: "Query parameters".) */
const FILTERS: Filters = {
  ownership: (wanted) => (row) => wanted === 'all' || (wanted === 'shared') === (row.visibility === 'shared'),
  q(text) {
    const terms = foldText(text).split(/\s+/)
    return (row) => includesAll(searchedText(row), terms)
  },
  from: (text) => (row) => Date.parse(row.started_at) >= Date.parse(text),
  to: (text) => (row) => Date.parse(row.started_at) <= endOf(text),
  tags: (tags) => (row) => tags.some((tag) => row.tags.includes(tag)),
}

const SORT_KEYS: Readonly<Record<SortField, (row: MeetingRow) => number>> = {
  date: (row) => Date.parse(row.created_at),
  duration: (row) => row.duration,
  last_modified: (row) => Date.parse(row.updated_at),
}

export function positionOf(
  row: MeetingRow,
  { sort_by = MEETINGS_PARAMS.sortBy.schema.default }: MeetingsQuery,
): Position {
  return { key: SORT_KEYS[sort_by](row), id: row.id }
}

/**
 * True if the key holder can see the meeting: owned and shared meetings in any state, but not meetings that
 * are shared only by a public link or with the workspace.
 */
export function isVisible(row: MeetingRow, holder: string): boolean {
  if ((row.holder ?? MAIN_HOLDER) !== holder) return false
  return row.visibility === 'owned' || row.visibility === 'shared'
}

/**
 * Returns the meetings of all pages of a key holder's list, in order. Equal sort keys are ordered by id, so
 * no two meetings have the same position.
 */
export function selectMeetings(
  rows: readonly MeetingRow[],
  holder: string,
  query: MeetingsQuery,
): MeetingRow[] {
  const tests = (Object.keys(FILTERS) as (keyof Filters)[]).flatMap((role) => testOf(role, query[role]))
  return rows
    .filter((row) => isVisible(row, holder) && !row.processing && tests.every((keeps) => keeps(row)))
    .toSorted((one, other) => compare(positionOf(one, query), positionOf(other, query), query))
}

function testOf<TRole extends keyof Filters>(role: TRole, value: MeetingsQuery[TRole]): Test | [] {
  return value === undefined ? [] : FILTERS[role](value)
}

/** True if the meeting is after this position in the list. */
export function isBehind(row: MeetingRow, position: Position, query: MeetingsQuery): boolean {
  return compare(positionOf(row, query), position, query) > 0
}

function compare(one: Position, other: Position, { order }: MeetingsQuery): number {
  const ascending = one.key - other.key || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
  return order === 'oldest' ? ascending : -ascending
}

const DAY_MS = 86_400_000

/** A date without a time means the whole day in UTC. This is the emulator's own reading. */
const endOf = (text: string): number => Date.parse(text) + (text.includes('T') ? 0 : DAY_MS - 1)

/** The searched text: title, notes and participants, but not the transcript. */
function searchedText({ title, notes, participants }: MeetingRow): string {
  const people = participants.flatMap(({ first_name, last_name, email }) => [first_name, last_name, email])
  return foldText([title, ...people, ...noteTexts(notes.blocks)].filter(Boolean).join('\n'))
}

function noteTexts(blocks: readonly NoteBlock[]): string[] {
  return blocks.flatMap(({ text = '', assignee = '', children = [] }) => [
    text,
    assignee,
    ...noteTexts(children),
  ])
}

/** Removes case and accents, so that "Zoe" finds "Zoë". */
function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

function includesAll(text: string, terms: readonly string[]): boolean {
  return terms.every((term) => text.includes(term))
}

import { DEFAULT_MEETING_FIELDS, MEETING_FIELDS, type MeetingsWire } from '@stagepass/contract'
import type { MeetingRow } from '../store/rows.js'

/** Further fields of a single meeting. (Assumptions: "One meeting".) */
export const DETAIL_FIELDS = ['transcript', 'notes'] as const

/** `id` may be named too. It is always sent. */
export const LIST_FIELDS: readonly string[] = ['id', ...MEETING_FIELDS]

/**
 * The row as the wire carries it: `id` and the fields asked for, or the default ones. (Contract: "Meeting".)
 */
export function formatMeeting(
  row: MeetingRow,
  { ownershipWords }: Pick<MeetingsWire, 'ownershipWords'>,
  fields: readonly string[] = DEFAULT_MEETING_FIELDS,
): Record<string, unknown> {
  // Not the words of the filter: `mine` is `owned` here, the first of the words that a client must know.
  const [ownership] = row.visibility === 'shared' ? ownershipWords.shared : ownershipWords.mine
  const wire: Record<string, unknown> = { ...row, ownership }
  return Object.fromEntries([['id', row.id], ...fields.map((field) => [field, wire[field]])])
}

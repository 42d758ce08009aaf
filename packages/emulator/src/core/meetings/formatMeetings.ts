import {
  DEFAULT_MEETING_FIELDS,
  MEETING_FIELDS,
  type MeetingsErrorCode,
  MEETINGS_ERRORS,
  type MeetingsWire,
} from '@stagepass/contract'
import type { HttpResponse } from '../request/http.js'
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

/**
 * A body with each value at its path of the wire: `data.items` is `items` in an object at `data`. A value at
 * an empty path is the whole body. A value that is `undefined` is left out. (Assumptions: "List envelope".)
 */
export function formatAnswer(parts: readonly (readonly [path: string, value: unknown])[]): unknown {
  const whole = parts.find(([path]) => path === '')
  if (whole) return whole[1]
  const body: Record<string, unknown> = {}
  for (const [path, value] of parts) if (value !== undefined) place(body, path.split('.'), value)
  return body
}

function place(body: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  // Only objects of this file are in it.
  if (rest.length > 0) place((body[key] ??= {}) as Record<string, unknown>, rest, value)
  else body[key] = value
}

/** `{ error }`. (Assumptions: "Meetings error body".) */
export function formatMeetingsError(
  code: MeetingsErrorCode,
  message: string = MEETINGS_ERRORS[code].title,
): HttpResponse {
  return { status: MEETINGS_ERRORS[code].status, body: { error: message } }
}

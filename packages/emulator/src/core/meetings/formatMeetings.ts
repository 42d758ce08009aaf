import {
  DEFAULT_MEETING_FIELDS,
  type Meeting,
  MEETING_FIELDS,
  type MeetingsErrorCode,
  MEETINGS_ERRORS,
  type MeetingsWire,
} from '@stagepass/contract'
import type { HttpResponse, OddFields } from '../request/http.js'
import type { MeetingRow } from '../store/rows.js'

/** Additional fields of a single meeting. (Assumptions: "One meeting".) */
export const DETAIL_FIELDS = ['transcript', 'notes'] as const

/** A request may also name `id`. It is always sent. */
export const LIST_FIELDS: readonly string[] = ['id', ...MEETING_FIELDS]

/** The fields with the types that a client reads from them. `ownershipWords` may have no word for one. */
type Promised = { readonly [TField in keyof Meeting]: Meeting[TField] | undefined }

/**
 * The row in the form of the wire: `id` and the requested fields, or the default fields. (Contract:
 * "Meeting".)
 */
export function formatMeeting(
  row: MeetingRow,
  { ownershipWords }: Pick<MeetingsWire, 'ownershipWords'>,
  fields: readonly string[] = DEFAULT_MEETING_FIELDS,
  odd: readonly OddFields[] = [],
): Record<string, unknown> {
  // These are not the words of the filter: `mine` is `owned` here, the first of the words that a client must
  // know.
  const [ownership] = row.visibility === 'shared' ? ownershipWords.shared : ownershipWords.mine
  const known: Promised = { ...row, ownership }
  const others = odd.filter(({ id }) => id === undefined || id === row.id).map((one) => one.fields)
  const wire: Record<string, unknown> = Object.assign({}, known, ...others.toReversed())
  return Object.fromEntries(['id', ...fields].map((field) => [field, wire[field]]))
}

/**
 * Builds a body with each value at its path of the wire: `data.items` is `items` in the object `data`. A
 * value with an empty path is the whole body. A value of `undefined` is omitted. (Assumptions: "List
 * envelope".)
 */
export function formatAnswer(parts: readonly (readonly [path: string, value: unknown])[]): unknown {
  const whole = parts.find(([path]) => path === '')
  if (whole) return whole[1]
  const body: Record<string, unknown> = {}
  for (const [path, value] of parts) if (value !== undefined) place(body, path.split('.'), value)
  return body
}

function place(body: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  // The cast: `body` contains only objects that this function created.
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

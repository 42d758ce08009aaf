import { type ListFilters, MEETINGS_PARAMS, type MeetingsParams } from '@stagepass/contract'
import type { Client } from '../identity/Client.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import type { FieldList } from './MeetingWith.js'

/**
 * The filters of a list. All are optional; `{}` is the default list. The filters are those of
 * `MEETINGS_PARAMS` in `@stagepass/contract`. (Contract: "Query parameters".)
 */
export interface MeetingsFilters<TFields extends FieldList = FieldList> extends ListFilters {
  /**
   * Fields of each meeting. The type of a meeting has only these. Default: all except `participants`.
   * (Contract: "Meeting".)
   */
  readonly fields?: TFields
}

/** In development: logs filters that do not exist. */
export function sayUnknownFilters(client: Client, where: string, filters: MeetingsFilters): void {
  const { cursor: _, ...known } = MEETINGS_PARAMS
  sayUnknown(client.said, `${where} does not know the filter`, filters, known)
}

/**
 * For a mounted list, times that differ by less than this are equal: `from: new Date()` in a render must not
 * send a request at every render.
 */
const SAME_TIME_MS = 60_000

const TIMES: ReadonlySet<string> = new Set(
  Object.values(MEETINGS_PARAMS).flatMap(({ name, schema }) => ('anyOf' in schema ? [name] : [])),
)

/** True if both ask for the same list, with a minute of tolerance in their times. */
export function isSameParams(a: MeetingsParams, b: MeetingsParams): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof MeetingsParams>
  for (const name of names) {
    const [left, right] = [a[name], b[name]]
    if (left === right) continue
    if (!TIMES.has(name)) return false
    if (!(Math.abs(Date.parse(left ?? '') - Date.parse(right ?? '')) < SAME_TIME_MS)) return false
  }
  return true
}

import type { DEFAULT_MEETING_FIELDS } from '@stagepass/contract'
import type { AllFields } from './rows.js'

/** A name that `fields` may hold. `id` comes always. */
export type MeetingFieldName = Exclude<keyof AllFields, 'id'>

/** What `fields` may be: a list of names, or nothing for the default set. (Contract: "Meeting".) */
export type FieldList = readonly MeetingFieldName[] | undefined

/**
 * A meeting with the requested fields, and no other. If the names are only known at run time, each may be
 * missing. The BFF removes a field that the user's grant does not cover: if you use such grants, expect it
 * missing too.
 */
export type MeetingWith<TFields extends FieldList> = TFields extends readonly MeetingFieldName[]
  ? number extends TFields['length']
    ? Pick<AllFields, 'id'> & Partial<Pick<AllFields, TFields[number]>>
    : Pick<AllFields, 'id' | TFields[number]>
  : Pick<AllFields, 'id' | (typeof DEFAULT_MEETING_FIELDS)[number]>

/** A list on the wire: in one order, so that the same set is one query. An empty list counts as none. */
export function listParam(names: readonly string[] | undefined): string | undefined {
  return names && names.length > 0 ? [...new Set(names)].toSorted().join(',') : undefined
}

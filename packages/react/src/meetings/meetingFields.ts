import type { RowWith } from '@stagepass/contract'
import type { AllFields } from './rows.js'

/** A name for `fields`. `id` is always included. */
export type MeetingFieldName = Exclude<keyof AllFields, 'id'>

/** The type of `fields`: a list of names, or `undefined` for the default set. (Contract: "Meeting".) */
export type FieldList = readonly MeetingFieldName[] | undefined

/**
 * A meeting with only the requested fields. If the names are known only at run time, each field may be
 * missing. The BFF also removes fields that the user's grant does not cover, so with such grants expect them
 * to be missing.
 */
export type MeetingWith<TFields extends FieldList> = RowWith<AllFields, TFields>

import type { Meeting as WireMeeting, RowWith } from '@stagepass/contract'

/** A person in a meeting. Each value may be null or missing. (Assumptions: "Meeting fields".) */
export interface Participant {
  readonly email?: string | null
  readonly first_name?: string | null
  readonly last_name?: string | null
  readonly status?: string | null
  readonly photo?: string | null
}

/**
 * A tag of the account. If the tags of your service have more keys, add them by a declaration, as for
 * `ExtraMeetingFields`. (Assumptions: "Tags".)
 */
export interface Tag {
  /** The value for the filter `tags`, and in `tags` of a meeting. */
  readonly id: string
  /** The id, if the service sends no name. */
  readonly name: string
}

/**
 * Declare here the fields that your BFF allows by `meetings.wire.extraFields`. They come as the service sends
 * them. If `extraFields` names a field of the contract, that one does too, and you can give it another type
 * here.
 *
 * @example
 * declare module '@stagepass/react' {
 *   interface ExtraMeetingFields { transcript: { language: string } }
 * }
 */
// eslint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- filled by declaration merging
export interface ExtraMeetingFields {}

interface OwnRows {
  participants: Participant[] | null
}

type Known = Omit<WireMeeting, keyof OwnRows> & OwnRows

/** Every field that a meeting may have. `null`: the value is not known. */
type AllFields = {
  [TName in Exclude<keyof Known, keyof ExtraMeetingFields>]: Known[TName]
} & ExtraMeetingFields

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

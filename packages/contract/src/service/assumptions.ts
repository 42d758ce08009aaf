import { MEETINGS_PARAMS, type MeetingsQueryRole, type SortOrder } from './meetingsParams.js'

/*
 * Everything in this file is an assumption; `docs/assumptions.md` lists them all. Each value was seen in
 * public clients of a service of this shape, and can be overridden where it is used. Nothing outside this
 * file may assume more. (Assumptions: "Meetings wire", "Lengths".)
 */

/**
 * Paths and names of the meetings interface. The BFF's option `meetings.wire` overrides any part.
 * (Assumptions: "Meetings wire".)
 */
export interface MeetingsWire {
  /** Path of the list under the meetings base: `/meetings`. (Assumptions: "Meetings address".) */
  readonly listPath: string
  /** Path of one meeting; `{id}` stands for the percent-encoded id. (Contract: "One meeting".) */
  readonly meetingPath: string
  /** Path of the tag list. (Contract: "Tags".) */
  readonly tagsPath: string
  /** Query parameter of each role. (Contract: "Query parameters".) */
  readonly params: Readonly<Record<MeetingsQueryRole, string>>
  /** Words of the sort direction. (Contract: "Query parameters".) */
  readonly order: Readonly<Record<SortOrder, string>>
  /**
   * The value of the field `ownership` of a meeting, for each filter that selects it. A grant that forces an
   * ownership shows only meetings that say so themselves: an interface with another name for the filter would
   * ignore ours and show everything.
   */
  readonly ownershipWords: Readonly<Record<'mine' | 'shared', readonly string[]>>
  /**
   * Where the parts of an answer are: keys with dots between them, such as `data.items`; an empty path is the
   * whole answer. `readMeetingsPage`, `readMeeting` and `readTags` read them. (Assumptions: "List envelope".)
   * This one: the array of meetings in a list response.
   */
  readonly items: string
  /** The cursor of the next page, in a list response. */
  readonly cursor: string
  /** The number of all meetings of the list. It may be missing. */
  readonly total: string
  /** The meeting, in a response to `meetingPath`. (Assumptions: "One meeting".) */
  readonly meeting: string
  /**
   * The array of tags, in a response to `tagsPath`. A response that is an array needs no path. (Assumptions:
   * "Tags".)
   */
  readonly tags: string
  /** Further fields that may be asked for, such as `transcript` or `notes`. (Assumptions: "One meeting".) */
  readonly extraFields: readonly string[]
}

/** Confidence: paths and envelope high, `oldest` medium; that of the parameters is in their table. */
export const ASSUMED_MEETINGS_WIRE: MeetingsWire = {
  listPath: '/meetings',
  meetingPath: '/meetings/{id}',
  tagsPath: '/tags',
  // The cast: `fromEntries` does not keep the keys in its type.
  params: Object.fromEntries(
    Object.values(MEETINGS_PARAMS).map(({ name, upstream }) => [name, upstream]),
  ) as MeetingsWire['params'],
  order: { newest: 'newest', oldest: 'oldest' },
  ownershipWords: { mine: ['owned', 'mine'], shared: ['shared'] },
  items: 'meetings',
  cursor: 'next_cursor',
  total: 'total',
  meeting: '',
  tags: 'tags',
  extraFields: [],
}

/**
 * Status with which an upgrade over the simultaneous-sessions limit is refused. (Assumptions: "Status of too
 * many sessions".)
 */
export const ASSUMED_CONCURRENCY_STATUS = 429

/** Status of a freshly issued token, one value of an open set. (Contract: "Token status".) */
export const FRESH_TOKEN_STATUS = 'LICENSE_VALID'

/** Longest meeting id in UTF-16 units. (Assumptions: "Lengths".) */
export const MAX_MEETING_ID_LENGTH = 256

/** A language of `/vt`: BCP 47 with a region, such as `en-US`, `zh-Hant-TW` or `es-419`. */
export const LANGUAGE_WITH_REGION: RegExp = /^[a-z]{2,3}(?:-[a-z]{4})?-(?:[a-z]{2}|\d{3})$/i

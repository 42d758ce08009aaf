import { z } from 'zod'
import { MAX_CURSOR_LENGTH, MAX_SEARCH_LENGTH, MAX_TAG_LENGTH, MAX_TAGS } from '../service/assumptions.js'
import { PAGE_SIZE } from '../service/limits.js'
import { type MeetingsQueryRole, OWNERSHIP_FILTERS, SORT_FIELDS, SORT_ORDERS } from '../service/meetings.js'
import { text } from './text.js'

/** A person in the meeting. Every value may be null. (Assumptions: "Meeting fields".) */
export const Participant = z.looseObject({
  email: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  status: z.string().nullish(),
  photo: z.string().nullish(),
})
export type Participant = z.infer<typeof Participant>

/**
 * A meeting as both wires carry it: `id`, and the fields that were asked for. Formats are assumptions
 * (Assumptions: "Meeting fields"), so they are typed, but other formats are accepted. `duration` is in
 * seconds, `started_at` ISO 8601 UTC.
 */
export interface Meeting {
  id: string
  title: string | null
  started_at: string
  duration: number
  /** An open set; `completed` and `ready` were seen. */
  status: string
  source: string | null
  /** Identifiers for the tag filter; the form of an element is not shown. */
  tags: unknown[]
  /** `owned` or `shared`: not the words of the filter. */
  ownership: string
  participants: Participant[]
}

/** What every meeting must have. */
export const AnyMeeting = z.looseObject({ id: z.string().min(1) })
export type AnyMeeting = z.infer<typeof AnyMeeting>

const commaList = (maxItems: number, maxLength: number) =>
  z
    .string()
    .min(1)
    .transform((list) => list.split(','))
    .pipe(z.array(text(maxLength).min(1)).max(maxItems))

/**
 * An empty search box is no search: `q=` gives the same as no `q`. Spaces count, because the service may give
 * them a meaning. A client that does not want them trims, as `@stagepass/react` does.
 */
const search = text(MAX_SEARCH_LENGTH).transform((value) => (value === '' ? undefined : value))

const bound = z.iso.datetime({ offset: true }).or(z.iso.date())

/**
 * Query of the BFF's `GET /meetings`, one string for each key. Unknown keys are refused, and so is an array
 * (a repeated key). `fields` is checked against the wire's field names by the caller, who knows
 * `extraFields`.
 */
export const MeetingsQuery = z
  .strictObject({
    limit: z
      .string()
      .regex(/^\d{1,3}$/)
      .transform(Number)
      .pipe(z.int().min(PAGE_SIZE.min).max(PAGE_SIZE.max))
      .optional(),
    cursor: text(MAX_CURSOR_LENGTH).min(1).optional(),
    ownership: z.enum(OWNERSHIP_FILTERS).optional(),
    sort_by: z.enum(SORT_FIELDS).optional(),
    order: z.enum(SORT_ORDERS).optional(),
    q: search.optional(),
    from: bound.optional(),
    to: bound.optional(),
    tags: commaList(MAX_TAGS, MAX_TAG_LENGTH).optional(),
    fields: commaList(64, 64).optional(),
  } satisfies Record<MeetingsQueryRole, z.ZodType>)
  .refine(({ from, to }) => !from || !to || Date.parse(from) <= Date.parse(to), {
    path: ['from'],
    error: 'start after end',
  })
export type MeetingsQuery = z.infer<typeof MeetingsQuery>

/** Query of the BFF's `GET /meetings/:id`. */
export const MeetingQuery = z.strictObject({ fields: commaList(64, 64).optional() })
export type MeetingQuery = z.infer<typeof MeetingQuery>

/**
 * The 200 of the BFF's `GET /meetings`. `next_cursor` is null at the end; `total` is there if the upstream
 * gave it.
 */
export const MeetingsResponse = z.object({
  meetings: z.array(AnyMeeting),
  next_cursor: z.string().nullable(),
  total: z.number().int().nonnegative().optional(),
})
export type MeetingsResponse = z.infer<typeof MeetingsResponse>

/** The 200 of the BFF's `GET /tags`. Each tag is passed on as it came. (Assumptions: "Tags".) */
export const TagsResponse = z.object({ tags: z.array(z.unknown()) })
export type TagsResponse = z.infer<typeof TagsResponse>

import { z } from 'zod'
import { MEETINGS_PARAMS, type MeetingsQueryValues, type ParamSchema } from '../service/meetingsParams.js'
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

/** Reads the text of a parameter. */
function readerOf(schema: ParamSchema): z.ZodType<unknown, string> {
  if (schema.type === 'integer')
    return z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number)
      .pipe(z.int().min(schema.minimum).max(schema.maximum))
  if (schema.type === 'array')
    return z
      .string()
      .min(1)
      .transform((list) => list.split(','))
      .pipe(z.array(text(schema.items.maxLength).min(schema.items.minLength)).max(schema.maxItems))
  if ('enum' in schema) return z.enum(schema.enum)
  if ('anyOf' in schema) return z.iso.datetime({ offset: true }).or(z.iso.date())
  const { minLength, maxLength } = schema
  // An empty search box is no search. Spaces count, because the service may give them a meaning. A client
  // that does not want them trims, as `@stagepass/react` does.
  if (minLength === 0) return text(maxLength).transform((value) => value || undefined)
  return text(maxLength).min(minLength)
}

/**
 * Query of the BFF's `GET /meetings`, one string for each key. Unknown keys are refused, and so is an array
 * (a repeated key). `fields` is checked against the wire's field names by the caller, who knows
 * `extraFields`.
 */
export const MeetingsQuery = z
  .strictObject(
    Object.fromEntries(
      Object.values(MEETINGS_PARAMS).map(({ name, schema }) => [name, readerOf(schema).optional()]),
    ),
  )
  // The cast: a shape that is made from a table has no types of its own.
  .transform((query) => query as MeetingsQueryValues)
  .refine(({ from, to }) => !from || !to || Date.parse(from) <= Date.parse(to), {
    path: ['from'],
    error: 'start after end',
  })
export type MeetingsQuery = z.infer<typeof MeetingsQuery>

/** Query of the BFF's `GET /meetings/:id`. */
export const MeetingQuery = z
  .strictObject({ fields: readerOf(MEETINGS_PARAMS.fields.schema).optional() })
  .transform((query) => query as Pick<MeetingsQueryValues, 'fields'>)
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

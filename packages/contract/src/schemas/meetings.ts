import { z } from 'zod'
import type {
  Meeting,
  PARTICIPANT_MEMBERS,
  Participant as WireParticipant,
} from '../service/meetingFields.js'
import { MEETINGS_PARAMS, type MeetingsQueryValues, type ParamSchema } from '../service/meetingsParams.js'
import { text } from './text.js'

/** A person in a meeting. Every value may be null. (Assumptions: "Meeting fields".) */
export const Participant = z.looseObject({
  email: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
  status: z.string().nullish(),
  photo: z.string().nullish(),
} satisfies Record<(typeof PARTICIPANT_MEMBERS)[number], z.ZodType>)
export type Participant = WireParticipant
export type { Meeting }

/** The minimum that every meeting must have. */
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
  // RFC 3339 also allows `t` and `z`.
  if ('anyOf' in schema)
    return z
      .string()
      .toUpperCase()
      .pipe(z.iso.datetime({ offset: true }).or(z.iso.date()))
  const { minLength, maxLength } = schema
  // An empty text means no search. Spaces are kept, because they may have a meaning for the service. A client
  // that does not want them trims the text, as `@stagepass/react` does.
  if (minLength === 0) return text(maxLength).transform((value) => value || undefined)
  return text(maxLength).min(minLength)
}

/**
 * Query of the BFF's `GET /meetings`, one string for each key. Unknown keys and arrays (repeated keys) are
 * refused. The caller checks the names in `fields`, because it knows `extraFields`.
 */
export const MeetingsQuery = z
  .strictObject(
    Object.fromEntries(
      Object.values(MEETINGS_PARAMS).map(({ name, schema }) => [name, readerOf(schema).optional()]),
    ),
  )
  // The cast: TypeScript cannot infer the types of a shape that is built from a table.
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
 * The 200 of the BFF's `GET /meetings`. `next_cursor` is null at the end of the list. `total` is present if
 * the upstream sent it.
 */
export const MeetingsResponse = z.object({
  meetings: z.array(AnyMeeting),
  next_cursor: z.string().nullable(),
  total: z.number().int().nonnegative().optional(),
})
export type MeetingsResponse = z.infer<typeof MeetingsResponse>

/**
 * The 200 of the BFF's `GET /tags`. Each tag has an identifier and a name, unless `extraFields` names `tags`:
 * then each is passed on unchanged. (Assumptions: "Tags".)
 */
export const TagsResponse = z.object({ tags: z.array(z.unknown()) })
export type TagsResponse = z.infer<typeof TagsResponse>

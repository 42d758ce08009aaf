import { z } from 'zod'
import { type NoteBlock, VISIBILITIES } from './rows.js'

// Each message is the remedy; the reader says what is wrong in front of it.

const text = z.string('Give a string.')
const nullableText = z.string('Give a string or null.').nullable()
const flag = z.boolean('Give true or false.')

const SECONDS = 'Give a number of seconds from 0.'
const seconds = z.number(SECONDS).min(0, SECONDS)

const DATE = 'Give an ISO 8601 date, or a date-time with its offset, for example 2026-03-01T09:00:00Z.'
const date = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], DATE)
  .refine((value) => !Number.isNaN(Date.parse(value)), DATE)

const list = <TItem extends z.ZodType>(item: TItem) => z.array(item, 'Give a list.')
const fields = <TShape extends z.ZodRawShape>(shape: TShape) => z.strictObject(shape, 'Give an object.')

const unknown = nullableText.default(null)
const speaker = fields({ email: unknown, first_name: unknown, last_name: unknown })
const participant = speaker.extend({ status: unknown, photo: unknown })

const noteBlock: z.ZodType<NoteBlock> = fields({
  type: text.default('paragraph'),
  text: text.optional(),
  completed: flag.optional(),
  assignee: text.optional(),
  due_date: text.optional(),
  get children() {
    return list(noteBlock).optional()
  },
})

const SPEAKER = 'Give the index of a speaker, a whole number from 0.'
const segment = fields({
  speaker: z.int(SPEAKER).min(0, SPEAKER).default(0),
  text: text.default(''),
  start: seconds.default(0),
  end: seconds.default(0),
})

/** The fields of a meeting as they may be given: each may be left out, and nested values are completed. A copy has no `undefined`. */
export const MEETING_SHAPE = {
  id: text.min(1, 'Give a string that is not empty.'),
  title: nullableText.exactOptional(),
  started_at: date.exactOptional(),
  duration: seconds.exactOptional(),
  status: text.exactOptional(),
  source: nullableText.exactOptional(),
  tags: list(text).exactOptional(),
  participants: list(participant).exactOptional(),
  notes: fields({ blocks: list(noteBlock).default(() => []) }).exactOptional(),
  transcript: fields({
    language: text.default('en-US'),
    speakers: z.record(z.string(), speaker, 'Give an object.').default(() => ({})),
    segments: list(segment).default(() => []),
  }).exactOptional(),
  created_at: date.exactOptional(),
  updated_at: date.exactOptional(),
  visibility: z.enum(VISIBILITIES, `Choose one of ${VISIBILITIES.join(', ')}.`).exactOptional(),
  processing: flag.exactOptional(),
  holder: text.exactOptional(),
}

/** A field that `wire.extraFields` names: any JSON value. */
const json = z.json()
const extraField = z
  .unknown()
  .refine((value) => json.safeParse(value).success, 'Give a JSON value.')
  .exactOptional()

/** A row in part. `extraFields` are further names. */
export function createMeetingSchema(extraFields: readonly string[]) {
  const extras = extraFields.filter((name) => !Object.hasOwn(MEETING_SHAPE, name))
  return fields({ ...MEETING_SHAPE, ...Object.fromEntries(extras.map((name) => [name, extraField])) })
}

import { z } from 'zod'
import { type MeetingInput, type MeetingRow, type NoteBlock, VISIBILITIES } from './rows.js'

const text = z.string()
const name = text.nullable().default(null)
const seconds = z.number().min(0)

const DATE = 'Give an ISO 8601 date, or a date-time with its offset, for example 2026-03-01T09:00:00Z'
const date = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], DATE)
  .refine((value) => !Number.isNaN(Date.parse(value)), DATE)

const speaker = z.strictObject({ email: name, first_name: name, last_name: name })

const noteBlock: z.ZodType<NoteBlock> = z.strictObject({
  type: text.default('paragraph'),
  text: text.optional(),
  completed: z.boolean().optional(),
  assignee: text.optional(),
  due_date: text.optional(),
  get children() {
    return z.array(noteBlock).optional()
  },
})

const segment = z.strictObject({
  speaker: z.int().min(0).default(0),
  text: text.default(''),
  start: seconds.default(0),
  end: seconds.default(0),
})

const meeting = z.strictObject({
  id: text.min(1),
  title: name,
  started_at: date.optional(),
  duration: seconds.default(1_800),
  status: text.optional(),
  source: name,
  tags: z.array(text).default(() => []),
  participants: z.array(speaker.extend({ status: name, photo: name })).default(() => []),
  notes: z.strictObject({ blocks: z.array(noteBlock).default(() => []) }).prefault({}),
  transcript: z
    .strictObject({
      language: text.default('en-US'),
      speakers: z.record(text, speaker).default(() => ({})),
      segments: z.array(segment).default(() => []),
    })
    .prefault({}),
  created_at: date.optional(),
  updated_at: date.optional(),
  visibility: z.enum(VISIBILITIES).default('owned'),
  processing: z.boolean().default(false),
  holder: text.optional(),
})

/**
 * Returns a function that checks a test's meeting and returns a copy with the defaults. If a field is wrong,
 * it throws a sentence that names the row and the field. `extraFields` are those of the option `wire`; their
 * values are any JSON.
 */
export function createMeetingReader(extraFields: readonly string[]) {
  const extras = Object.fromEntries(extraFields.map((extra) => [extra, z.json().optional()]))
  // The cast: the type of a row does not include the extra fields.
  const schema = z.strictObject({ ...extras, ...meeting.shape }) as unknown as typeof meeting

  /** If a meeting has no dates, its end is `undatedMs`. */
  return (input: MeetingInput, undatedMs: number): MeetingRow => {
    const { data, error } = schema.safeParse(input)
    if (!data) {
      const row = typeof input?.id === 'string' ? `the meeting "${input.id}"` : 'a meeting'
      throw new Error(`Failed to read ${row}: it is not valid.\n${z.prettifyError(error)}`)
    }
    const spanMs = data.duration * 1_000
    const endMs = data.started_at === undefined ? undatedMs : Date.parse(data.started_at) + spanMs
    const created_at = data.created_at ?? formatDate(endMs)
    return {
      ...data,
      started_at: data.started_at ?? formatDate(Date.parse(created_at) - spanMs),
      status: data.status ?? (data.processing ? 'processing' : 'completed'),
      created_at,
      updated_at: data.updated_at ?? created_at,
    }
  }
}

const FIRST_DATE_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** A duration may be any number, so the computed date is limited to the valid range. */
function formatDate(timeMs: number): string {
  return new Date(Math.max(FIRST_DATE_MS, Math.min(LAST_DATE_MS, timeMs))).toISOString()
}

import { z } from 'zod'
import { type MeetingInput, type MeetingRow, type NoteBlock, VISIBILITIES } from './rows.js'
import type { RowReader } from './table.js'

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

/** The fields of a meeting as they may be given: each may be left out, and nested values are completed. */
const SHAPE = {
  id: text.min(1),
  title: text.nullable().exactOptional(),
  started_at: date.exactOptional(),
  duration: seconds.exactOptional(),
  status: text.exactOptional(),
  source: text.nullable().exactOptional(),
  tags: z.array(text).exactOptional(),
  participants: z.array(speaker.extend({ status: name, photo: name })).exactOptional(),
  notes: z.strictObject({ blocks: z.array(noteBlock).default(() => []) }).exactOptional(),
  transcript: z
    .strictObject({
      language: text.default('en-US'),
      speakers: z.record(text, speaker).default(() => ({})),
      segments: z.array(segment).default(() => []),
    })
    .exactOptional(),
  created_at: date.exactOptional(),
  updated_at: date.exactOptional(),
  visibility: z.enum(VISIBILITIES).exactOptional(),
  processing: z.boolean().exactOptional(),
  holder: text.exactOptional(),
}
type Given = z.infer<z.ZodObject<typeof SHAPE>>

interface ReaderOptions {
  readonly now: () => number
  /** Names of further fields, as `wire.extraFields` has them; their values are any JSON. */
  readonly extraFields: readonly string[]
}

/**
 * Reads what a test gives as a meeting: completes it, or throws a sentence that names the row and the field.
 */
export function createMeetingReader({ now, extraFields }: ReaderOptions) {
  const extras = Object.fromEntries(extraFields.map((extra) => [extra, z.json().exactOptional()]))
  const schema = z.strictObject({ ...extras, ...SHAPE })
  const changes = schema.extend({ id: SHAPE.id.exactOptional() })

  /**
   * When the newest row without a date was created. Two of one millisecond would have no order of their own.
   */
  let newestMs = -Infinity
  const add = (input: MeetingInput, act: string, row: string): MeetingRow => {
    newestMs = Math.max(now(), newestMs + 1)
    return complete(read(schema, input, act, nameRow(input, row)), newestMs)
  }

  const ofTable: RowReader<MeetingRow, MeetingInput> = {
    added: (input) => add(input, 'Failed to add a row to meetings', 'the meeting'),
    changed(id, change) {
      const act = 'Failed to update a row of meetings'
      const row = `the meeting "${id}"`
      const changed = read(changes, change, act, row)
      if (changed.id === undefined || changed.id === id) return changed
      throw new Error(`${act}: ${row} keeps its id. Remove the row, and add one with the other id.`)
    },
  }

  return {
    ...ofTable,
    /** The rows of the option `meetings`. Throws if two have the same id. */
    initial(inputs: readonly MeetingInput[]): MeetingRow[] {
      const act = 'Failed to start the emulator'
      if (!Array.isArray(inputs)) throw new Error(`${act}: meetings is not a list. Give a list of rows.`)
      const names = new Map<string, string>()
      const startMs = now()
      newestMs = startMs
      return inputs.map((input: MeetingInput, index) => {
        const row = `meetings[${index}]`
        const given = read(schema, input, act, nameRow(input, row))
        const earlier = names.get(given.id)
        if (earlier !== undefined)
          throw new Error(`${act}: ${earlier} and ${row} have the same id. Give each its own.`)
        names.set(given.id, row)
        // Rows without a date are listed in the order in which they were given, the newest first.
        return complete(given, startMs - index)
      })
    },
  }
}

/** A checked copy, without what is `undefined`. */
function read<TRow>(schema: z.ZodType<TRow>, input: unknown, act: string, row: string): TRow {
  let parsed: z.ZodSafeParseResult<TRow>
  try {
    // JSON leaves functions out, and a clone fails at them. A row that holds itself fails as JSON.
    parsed = schema.safeParse(JSON.parse(JSON.stringify(structuredClone(input))))
  } catch (cause) {
    throw new Error(`${act}: ${row} cannot be copied (${String(cause)}). Give plain values.`, { cause })
  }
  if (parsed.success) return parsed.data
  throw new Error(`${act}: ${row} is not right.\n${z.prettifyError(parsed.error)}`)
}

function nameRow(input: unknown, otherwise: string): string {
  const id: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'id') : undefined
  return typeof id === 'string' && id !== '' ? `the meeting "${id}"` : otherwise
}

const DEFAULT_SECONDS = 1_800

/** The defaults: a meeting that ended at `undatedMs`, or that began when the row says. */
function complete({ id, ...given }: Given, undatedMs: number): MeetingRow {
  const { duration = DEFAULT_SECONDS, processing = false, started_at } = given
  const spanMs = duration * 1_000
  const endMs = started_at === undefined ? undatedMs : Date.parse(started_at) + spanMs
  const created_at = given.created_at ?? formatDate(endMs)
  return {
    id,
    title: null,
    started_at: formatDate(Date.parse(created_at) - spanMs),
    duration,
    status: processing ? 'processing' : 'completed',
    source: null,
    tags: [],
    participants: [],
    notes: { blocks: [] },
    transcript: { language: 'en-US', speakers: {}, segments: [] },
    created_at,
    updated_at: created_at,
    visibility: 'owned',
    processing,
    ...given,
  }
}

const FIRST_DATE_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** A duration may be any number; the date that follows from it must still be one. */
function formatDate(timeMs: number): string {
  return new Date(Math.max(FIRST_DATE_MS, Math.min(LAST_DATE_MS, timeMs))).toISOString()
}

import type { z } from 'zod'
import type { MeetingInput, MeetingRow } from './rows.js'
import { copyPlain, NotPlain } from './copyPlain.js'
import { createMeetingSchema } from './meetingSchema.js'
import type { RowReader } from './table.js'

const DEFAULT_SECONDS = 1_800

/** Reads what a test gives as a meeting: completes it, or throws a sentence that names the row and the field. */
export interface MeetingReader extends RowReader<MeetingRow, MeetingInput> {
  /** The rows of the option `meetings`. Throws if two have the same id. */
  initial(inputs: readonly MeetingInput[]): MeetingRow[]
}

interface ReaderOptions {
  readonly now: () => number
  /** Names of further fields, as `wire.extraFields` has them; their values are any JSON. */
  readonly extraFields: readonly string[]
}

export function createMeetingReader({ now, extraFields }: ReaderOptions): MeetingReader {
  const schema = createMeetingSchema(extraFields)
  const changes = schema.extend({ id: schema.shape.id.exactOptional() })

  const read = <T>(parser: z.ZodType<T>, input: unknown, act: string, row: string): T => {
    try {
      const copy = copyPlain(input)
      const parsed = parser.safeParse(copy)
      if (parsed.success) return parsed.data
      throw new Error(`${act}: ${formatIssue(parsed.error.issues[0], copy, row, Object.keys(schema.shape))}`)
    } catch (error) {
      if (!(error instanceof NotPlain)) throw error
      const where = formatPath(error.path, row)
      throw new Error(`${act}: ${where} ${error.message}. Give plain values.`, { cause: error })
    }
  }

  const add = (input: MeetingInput, act: string, otherwise: string): MeetingRow =>
    complete(read(schema, input, act, nameRow(input, otherwise)), now())

  return {
    initial(inputs) {
      const act = 'Failed to start the emulator'
      if (!Array.isArray(inputs)) {
        throw new Error(`${act}: meetings is ${formatValue(inputs)}. Give a list of rows.`)
      }
      const ids = new Set<string>()
      return inputs.map((input: MeetingInput, index) => {
        const name = `meetings[${index}]`
        const row = add(input, act, name)
        if (ids.has(row.id)) {
          throw new Error(
            `${act}: id of ${name} is "${row.id}", which an earlier row has. Give each its own id.`,
          )
        }
        ids.add(row.id)
        return row
      })
    },
    added: (input) => add(input, 'Failed to add a row to meetings', 'the meeting'),
    changed(id, change) {
      const act = 'Failed to update a row of meetings'
      const row = `the meeting "${id}"`
      const changed = read(changes, change, act, row)
      if (changed.id === undefined || changed.id === id) return changed
      const remedy = 'Leave it out, or remove the row and add another.'
      throw new Error(`${act}: id of ${row} is "${changed.id}" in the change. ${remedy}`)
    },
  }
}

type Given = z.infer<ReturnType<typeof createMeetingSchema>>

/** The defaults: a meeting that has just ended, or that began when the row says. */
function complete(given: Given, nowMs: number): MeetingRow {
  const { id, ...rest } = given
  const { duration = DEFAULT_SECONDS, processing = false, started_at } = rest
  const spanMs = duration * 1_000
  const endMs = started_at === undefined ? nowMs : Date.parse(started_at) + spanMs
  const created_at = rest.created_at ?? formatDate(endMs)
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
    ...rest,
  }
}

const FIRST_DATE_MS = Date.parse('0000-01-01T00:00:00.000Z')
const LAST_DATE_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** A duration may be any number; the date that follows from it must still be one. */
function formatDate(timeMs: number): string {
  return new Date(Math.max(FIRST_DATE_MS, Math.min(LAST_DATE_MS, timeMs))).toISOString()
}

function nameRow(input: unknown, otherwise: string): string {
  const id: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'id') : undefined
  return typeof id === 'string' && id !== '' ? `the meeting "${id}"` : otherwise
}

function formatIssue(
  issue: z.core.$ZodIssue | undefined,
  input: unknown,
  row: string,
  names: readonly string[],
): string {
  const { path = [], message = '' } = issue ?? {}
  if (issue?.code === 'unrecognized_keys') {
    const known = path.length === 0 ? `Fields are ${names.join(', ')}.` : 'Leave it out.'
    return `${formatPath([...path, ...issue.keys.slice(0, 1)], row)} is not a field. ${known}`
  }
  const value = path.reduce<unknown>((inside, name) => Reflect.get(Object(inside) as object, name), input)
  return `${formatPath(path, row)} is ${formatValue(value)}. ${message}`
}

const SHOWN_NAMES = 8

function formatPath(path: readonly PropertyKey[], row: string): string {
  if (path.length === 0) return row
  const names = path.slice(0, SHOWN_NAMES).map((name) => formatName(cut(String(name))))
  return `${names.join('.')}${path.length > SHOWN_NAMES ? '.…' : ''} of ${row}`
}

function formatName(name: string): string {
  return /^\w+$/.test(name) ? name : JSON.stringify(name)
}

const SHOWN_LENGTH = 60

function cut(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}

function formatValue(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'missing'
    case 'string':
      return JSON.stringify(cut(value))
    case 'function':
      return 'a function'
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? 'a list' : 'an object'
    default:
      return String(value)
  }
}

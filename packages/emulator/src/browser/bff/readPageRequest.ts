import { USER_HEADER } from '@stagepass/contract'
import { decodeUtf8 } from '../../core/platform/bytes.js'
import type { PageRequest } from '../wire/PageRequest.js'
import { Problem } from './Problem.js'

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const MAX_BODY_BYTES = 4_096

/** The JSON body, as the BFF takes it. */
export function readJson({ headers, body }: PageRequest): unknown {
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw new Problem('UNSUPPORTED_MEDIA_TYPE')
  if (body.length > MAX_BODY_BYTES) throw new Problem('PAYLOAD_TOO_LARGE')
  try {
    return JSON.parse(decodeUtf8(body))
  } catch {
    throw new Problem('VALIDATION_ERROR', { field: 'body' })
  }
}

/** The part of a schema that is used here. */
interface Schema<TValue> {
  safeParse(input: unknown):
    | { success: true; data: TValue }
    | {
        success: false
        error: { issues: readonly { path: readonly PropertyKey[]; keys?: readonly string[] }[] }
      }
}

/** Throws a VALIDATION_ERROR with the `field`, or with `whole` if no single field is the cause. */
export function parseWith<TValue>(schema: Schema<TValue>, input: unknown, whole: 'body' | 'query'): TValue {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const name = issue?.keys?.[0] ?? issue?.path[0]
  throw new Problem('VALIDATION_ERROR', { field: nameable(name === undefined ? whole : String(name), whole) })
}

/** The values of the query by name. Throws for a name that is not known, or that comes twice. */
export function readQuery({ url }: PageRequest, known: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of url.searchParams) {
    if (!known.includes(name) || Object.hasOwn(values, name))
      throw new Problem('VALIDATION_ERROR', { field: nameable(name, 'query') })
    values[name] = value
  }
  return values
}

/** The user that the page names; `undefined` if it names none. */
export function pageUserOf({ headers }: PageRequest): string | undefined {
  const given = headers[USER_HEADER]
  return given === undefined ? undefined : decode(given)
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function nameable(name: string, otherwise: string): string {
  return /^[a-z_.-]{1,32}$/i.test(name) ? name : otherwise
}

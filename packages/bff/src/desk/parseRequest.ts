import type { z } from 'zod'
import { BffError } from '../base/BffError.js'
import { invalidValue } from '../base/invalidValue.js'
import { gotText } from '../base/valueKind.js'

/**
 * Parses a part of a request with a schema. Throws a VALIDATION_ERROR that names the `field`, or `whole` if
 * the cause is not a single field.
 */
export function parseRequest<TValue>(
  schema: z.ZodType<TValue>,
  input: unknown,
  whole: 'body' | 'query',
): TValue {
  const { success, data, error } = schema.safeParse(input)
  if (success) return data
  const [issue] = error.issues
  const name = issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path[0]
  const field = name === undefined ? whole : nameable(String(name), whole)
  if (issue?.code === 'unrecognized_keys')
    throw new BffError('VALIDATION_ERROR', { field, seen: { cause: 'unknown', name: field } })
  const value: unknown = issue?.path[0] === undefined ? input : Reflect.get(Object(input), issue.path[0])
  throw invalidValue(field, gotText(value))
}

/**
 * Returns a name from a request as the `field` of a problem. A text that does not look like a name becomes
 * `otherwise`: it may be a token in the wrong place, and `field` is written to logs.
 */
export function nameable(name: string, otherwise: string): string {
  return /^[a-z_.-]{1,32}$/i.test(name) ? name : otherwise
}

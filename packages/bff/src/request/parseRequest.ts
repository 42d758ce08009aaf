import type { z } from 'zod'
import { BffError } from '../errors/BffError.js'
import { nameable } from './readQuery.js'

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
  throw new BffError('VALIDATION_ERROR', {
    field: name === undefined ? whole : nameable(String(name), whole),
  })
}

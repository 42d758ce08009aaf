import { BffError } from '../errors/BffError.js'
import { nameable } from './readQuery.js'

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
}

/** The part of a schema that is used here. */
export interface Schema<TValue> {
  safeParse(
    input: unknown,
  ): { success: true; data: TValue } | { success: false; error: { issues: readonly Issue[] } }
}

/**
 * Parses a request with a schema. Throws a VALIDATION_ERROR with the `field`, or with `whole` if no single
 * field is the cause.
 */
export function parseRequest<TValue>(
  schema: Schema<TValue>,
  input: unknown,
  whole: 'body' | 'query',
): TValue {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const name = issue?.keys?.[0] ?? issue?.path[0]
  throw new BffError('VALIDATION_ERROR', {
    field: name === undefined ? whole : nameable(String(name), whole),
  })
}

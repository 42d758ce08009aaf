import { BffError } from '../context/BffError.js'
import { nameable } from './readQuery.js'

interface Issue {
  readonly code?: string | undefined
  readonly path: readonly PropertyKey[]
  readonly keys?: readonly string[]
}

/** As much of a schema as is needed here. */
interface Schema<TValue> {
  safeParse(
    input: unknown,
  ): { success: true; data: TValue } | { success: false; error: { issues: readonly Issue[] } }
}

/** Parses a request with a schema; what it refuses is a VALIDATION_ERROR that names the `field`, or `whole` where no field is to blame. */
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

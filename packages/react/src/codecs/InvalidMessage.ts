import type { SchemaIssue } from './StandardSchema.js'

/** `json(schema)` returns this in place of a message that does not match the schema. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage'
  /** The problems that the schema found. */
  readonly issues: readonly SchemaIssue[]
  /** The message as it was received. */
  readonly data: string

  constructor(data: string, issues: readonly SchemaIssue[]) {
    super(`Failed to read a message: ${issues.map(textOf).join('; ')}.`)
    this.data = data
    this.issues = issues
  }
}

function textOf({ message, path = [] }: SchemaIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length > 0 ? `${keys.join('.')}: ${message}` : message
}

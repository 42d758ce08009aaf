import type { SchemaIssue } from './StandardSchema.js'

/** What `json(schema)` gives in place of a message that does not fit. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage'
  /** What the schema found. */
  readonly issues: readonly SchemaIssue[]
  /** The message as it came. */
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

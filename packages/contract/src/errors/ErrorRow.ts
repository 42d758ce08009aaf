import type { Hints } from './hint.js'

/** One row of an error table: the meaning of a code on its wire. */
export interface ErrorRow {
  /** The HTTP status of the response. */
  readonly status: number
  /** `false`: never retry, with any status. `true`: may be retried. */
  readonly retryable: boolean
  /** A sentence for the person at the screen. We wrote it; it is never text of the service. */
  readonly title: string
  /**
   * The cause, and what a developer or an operator can do. Markdown. A code with several causes has a text
   * for each.
   */
  readonly hint: string | Hints
}

/** Rows of errors by their codes. */
export type ErrorTable = Readonly<Record<string, ErrorRow>>

/** True for an own key of the table (not for `__proto__` or `constructor`). */
export function hasCode<TTable extends object>(table: TTable, code: unknown): code is keyof TTable & string {
  return typeof code === 'string' && Object.hasOwn(table, code)
}

/** The codes of a table, in its order. */
export function codesOf<TTable extends object>(table: TTable): (keyof TTable & string)[] {
  return Object.keys(table) as (keyof TTable & string)[]
}

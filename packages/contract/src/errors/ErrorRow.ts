/** A row of an error table: what a code means on its wire. */
export interface ErrorRow {
  /** The HTTP status with which it is sent. */
  readonly status: number
  /** `false` is final for every client, with any status; `true` is not. */
  readonly retryable: boolean
  /** A sentence of ours, never of the service, for the person at the screen. */
  readonly title: string
  /** Why it happens, and what a developer or an operator does about it. Markdown. */
  readonly hint: string
}

export type ErrorTable = Readonly<Record<string, ErrorRow>>

/** True for a key of the table itself (not `__proto__`, not `constructor`). */
export function hasCode<TTable extends object>(table: TTable, code: unknown): code is keyof TTable & string {
  return typeof code === 'string' && Object.hasOwn(table, code)
}

/** The codes of a table, in its order. */
export function codesOf<TTable extends object>(table: TTable): (keyof TTable & string)[] {
  return Object.keys(table) as (keyof TTable & string)[]
}

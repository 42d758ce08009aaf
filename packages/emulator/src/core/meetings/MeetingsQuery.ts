import type { OwnershipFilter, SortField, SortOrder } from '@stagepass/contract'

/** Decides which meetings are in the list. A cursor is valid for one filter and one order. */
export interface MeetingsFilter {
  readonly ownership: OwnershipFilter
  readonly q: string
  /** Milliseconds since the epoch, both included. */
  readonly fromMs: number
  readonly toMs: number
  /** None means all. */
  readonly tags: readonly string[]
}

export interface MeetingsOrder {
  readonly sortBy: SortField
  readonly order: SortOrder
}

export interface ListQuery {
  readonly filter: MeetingsFilter
  readonly order: MeetingsOrder
  readonly limit: number
  readonly cursor: string | undefined
  readonly fields: readonly string[] | undefined
}

export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

/** Where a page ended: the sort key and the id of its last meeting. The next page begins after it, even if meetings were added or removed since. */
export interface Position {
  readonly key: number
  readonly id: string
}

import type { SortField, SortOrder } from '@stagepass/contract'
import type { MeetingRow } from '../store/rows.js'

export interface MeetingsOrder {
  readonly sortBy: SortField
  readonly order: SortOrder
}

export interface ListQuery {
  /** What the filters were read as. A cursor is valid for one filter and one order. */
  readonly filter: readonly unknown[]
  readonly keeps: (row: MeetingRow) => boolean
  readonly order: MeetingsOrder
  readonly limit: number
  readonly cursor: string | undefined
  readonly fields: readonly string[] | undefined
}

/**
 * Where a page ended: the sort key and the id of its last meeting. The next page begins after it, even if
 * meetings were added or removed since.
 */
export interface Position {
  readonly key: number
  readonly id: string
}

import type { BudgetState, QueuedRequest } from './BudgetState.js'
import type { BudgetNotice } from '../events.js'
import type { BudgetOp, BudgetRules, Refused } from '../protocol.js'
import type { KeyMap } from './tables.js'

/** One call of one instance while it is applied: what it needs, and its effects so far. */
export interface Turn {
  readonly state: BudgetState
  readonly rules: BudgetRules
  readonly op: BudgetOp
  readonly now: number
  /** When the state was last called before. */
  readonly previousAt: number
  readonly granted: string[]
  readonly shared: string[]
  readonly notices: BudgetNotice[]
  /** Requests that this call put into the queue: `again` if they were covered before. */
  readonly added: KeyMap<string, 'new' | 'again'>
  readonly refused: Refused[]
  readonly covered: (readonly [id: string, start: number])[]
  /** The queue as last sorted, with all requests of each call but the second of a user. */
  ranked: QueuedRequest[]
}

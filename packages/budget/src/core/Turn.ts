import type { BudgetState } from './BudgetState.js'
import type { BudgetNotice, BudgetOp, BudgetRules, Refused } from './protocol.js'

/** One call of one instance while it is applied: what it needs, and its effects so far. */
export interface Turn {
  readonly state: BudgetState
  readonly rules: BudgetRules
  readonly op: BudgetOp
  readonly now: number
  readonly granted: string[]
  readonly shared: string[]
  readonly notices: BudgetNotice[]
  /** Requests that this call put into the queue. */
  readonly added: Set<string>
  readonly refused: Refused[]
}

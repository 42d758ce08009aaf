import type { BudgetState } from './BudgetState.js'
import type { BudgetNotice, BudgetOp, BudgetReply, BudgetRules } from './protocol.js'

/** One call of one instance while it is applied: what it needs, and its effects so far. */
export interface Turn {
  readonly state: BudgetState
  readonly rules: BudgetRules
  readonly op: BudgetOp
  readonly now: number
  readonly granted: string[]
  readonly shared: string[]
  readonly notices: BudgetNotice[]
  /** The request that this call put into the queue, if it did. */
  added: Extract<BudgetOp, { type: 'ask' }> | undefined
  refused: BudgetReply['refused']
}

import type { BudgetAction, BudgetReply } from './protocol.js'

/** Where the budget's state is kept: in this process, or in Redis. It speaks in the name of one instance. */
export interface BudgetStore {
  /** One call, applied as a whole or not at all. Rejects where the state cannot be reached. */
  call(action: BudgetAction): Promise<BudgetReply>
  /** Why the budget is not at its best, or `undefined`. */
  degraded(): string | undefined
}

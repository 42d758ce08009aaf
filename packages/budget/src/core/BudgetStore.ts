import type { BudgetAction, BudgetReply } from './protocol.js'

/** Where the budget's state is kept: in this process, or in Redis. It calls in the name of one instance. */
export interface BudgetStore {
  /** One call, applied as a whole or not at all. Rejects if the state cannot be reached. */
  call(actions: readonly BudgetAction[]): Promise<BudgetReply>
  /** What is wrong with the budget, or `undefined`. */
  degraded(): string | undefined
}

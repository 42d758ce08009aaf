import { applyOp } from './applyOp.js'
import type { BudgetState } from './BudgetState.js'
import type { BudgetStore } from './BudgetStore.js'
import type { Clock } from './Clock.js'
import type { BudgetRules } from './protocol.js'

const INSTANCE = 'here'

/** The state in this process. `epoch`: a name that no other state has. */
export function createMemoryStore(rules: BudgetRules, clock: Clock, epoch: string): BudgetStore {
  let state: BudgetState | undefined
  return {
    async call(action) {
      const sender = {
        instance: INSTANCE,
        epoch: '',
        seen: 0,
        newEpoch: epoch,
        after: 'answer' as const,
        silentMs: 0,
      }
      const applied = applyOp(state, rules, { ...sender, ...action }, clock.now())
      state = applied.state
      return applied.reply
    },
    degraded: () => undefined,
  }
}

import { applyOp } from './applyOp.js'
import type { BudgetState } from './BudgetState.js'
import type { BudgetStore } from '../BudgetStore.js'
import type { Clock } from '../Clock.js'
import type { BudgetRules } from '../protocol.js'

/** No other instance calls, so nothing can be lost between two calls. */
const SENDER = { instance: 'here', epoch: '', seen: 0, after: 'reply', silentMs: 0, sentAt: 0 } as const

/** The state in this process. `epoch`: a name that no other state has. */
export function createMemoryStore(rules: BudgetRules, clock: Clock, epoch: string): BudgetStore {
  let state: BudgetState | undefined
  return {
    async call(actions) {
      const applied = applyOp(state, rules, { ...SENDER, newEpoch: epoch, actions }, clock.now())
      state = applied.state
      return applied.reply
    },
    degraded: () => undefined,
  }
}

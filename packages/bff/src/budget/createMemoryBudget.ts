import type { Budget } from './Budget.js'
import { type BudgetOptions, budgetRules } from './BudgetOptions.js'
import { systemClock } from './core/Clock.js'
import { createMemoryStore } from './core/createMemoryStore.js'
import { createListener } from './createListener.js'
import { createStoreBudget } from './createStoreBudget.js'

/** The budget of a single process. */
export function createMemoryBudget(options: BudgetOptions = {}): Budget {
  const clock = options.clock ?? systemClock
  // No other instance changes the state: polls and heartbeats are not needed.
  const rules = { ...budgetRules(options), pollMs: Infinity, heartbeatMs: Infinity }
  return createStoreBudget({
    store: createMemoryStore(rules, clock, 'memory'),
    rules,
    clock,
    random: options.random ?? Math.random,
    instance: 'here',
    sendHeartbeats: false,
    onEvent: createListener(options.onEvent),
  })
}

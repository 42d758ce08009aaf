import type { BudgetReply, BudgetRules } from '../core/protocol.js'
import type { BudgetGauge, WaitHistogram } from './Budget.js'

/** The account as the latest reply knew it, and what this instance counts. */
export function gaugeOf(
  latest: { readonly reply: BudgetReply; readonly elapsedMs: number } | undefined,
  rules: BudgetRules,
  waitingHere: number,
  waits: WaitHistogram,
): BudgetGauge {
  const { reply, elapsedMs = 0 } = latest ?? {}
  return {
    limit: reply?.limit ?? rules.limit,
    used: reply?.frees.filter((freeMs) => freeMs > elapsedMs).length ?? 0,
    waiting: Math.max(reply?.waitingTotal ?? 0, waitingHere),
    frozenMs: Math.max(0, Math.ceil((reply?.frozenMs ?? 0) - elapsedMs)),
    strict: reply?.strict ?? rules.strict,
    foreignUse: reply?.foreignUse ?? 0,
    waits,
  }
}

import { type BudgetState, createBudgetState } from './BudgetState.js'
import { countLimited, recover } from './countLimited.js'
import { countGrant, fairOrder, forgetUsers, joinLine } from './fairOrder.js'
import { createEstimate, currentLimit, openAt } from './opening.js'
import type { BudgetNotice, BudgetOp, BudgetReply, BudgetRules, RefusalReason } from './protocol.js'

/** An instance that has not called for this long after it was due is no longer counted. */
const FORGET_INSTANCE_MS = 60_000

interface Applied {
  readonly state: BudgetState
  readonly reply: BudgetReply
}

/**
 * One call of one instance: the whole of the budget's rules, without a timer and without I/O. It changes `state` in place (`undefined`:
 * there is none yet) and grants what the caller can have now; nothing is promised for later. The same rules stand in Lua in
 * `redis/budgetScript.ts`, and a test holds the two together: change both.
 */
export function applyOp(
  previous: BudgetState | undefined,
  rules: BudgetRules,
  op: BudgetOp,
  now: number,
): Applied {
  const notices: BudgetNotice[] = []
  const state = previous ?? createBudgetState(op.newEpoch, rules)
  const quarantineUntil = now + rules.windowMs + rules.graceMs
  // Whoever remembers an earlier life of the state, or a later hour of this one (it was restored from a copy), may have requests on the
  // way that this state knows nothing of.
  const elsewhere = op.epoch !== '' && op.epoch !== state.epoch
  const restored = op.epoch === state.epoch && op.seen > state.calls
  const lost = (elsewhere && state.cold) || restored
  if (restored) state.epoch = op.newEpoch
  if (elsewhere || restored) state.cold = false
  state.calls += 1
  if (lost) notices.push({ type: 'state-lost' })
  if (lost || op.after === 'own-share') state.frozenUntil = Math.max(state.frozenUntil, quarantineUntil)

  state.slots = state.slots.filter((slot) => slot.freeAt > now)
  state.waiters = state.waiters.filter((waiter) => waiter.until > now)
  for (const [instance, dueAt] of Object.entries(state.dueAt))
    if (dueAt + FORGET_INSTANCE_MS < now) delete state.dueAt[instance]
  state.strict ||= rules.strict
  notices.push(...recover(state, rules, now))
  state.dueAt[op.instance] = now

  const granted: string[] = []
  let fresh = ''
  switch (op.type) {
    case 'ask': {
      const held = state.slots.find((slot) => slot.id === op.id)
      if (held !== undefined) {
        // The answer to its first call was lost. It has not been sent, so its time starts anew.
        if (held.doneAt < 0) {
          held.grantedAt = now
          held.freeAt = now + rules.timeoutMs + rules.windowMs
          granted.push(op.id)
        }
      } else if (state.waiters.every((waiter) => waiter.id !== op.id)) {
        state.waiters.push({
          id: op.id,
          instance: op.instance,
          user: op.user,
          cost: op.cost,
          background: op.background,
          until: now + op.withinMs,
        })
        joinLine(state, op.user)
        fresh = op.id
      }
      break
    }
    case 'poll':
      break
    case 'leave':
      state.waiters = state.waiters.filter((waiter) => waiter.id !== op.id)
      state.slots = state.slots.filter((slot) => slot.id !== op.id || slot.doneAt >= 0)
      break
    case 'release': {
      const held = state.slots.find((slot) => slot.id === op.id && slot.doneAt < 0)
      if (held === undefined) break
      if (op.outcome === 'unsent') state.slots.splice(state.slots.indexOf(held), 1)
      held.doneAt = now
      held.freeAt = now + rules.windowMs + rules.marginMs + (op.outcome === 'aborted' ? rules.graceMs : 0)
      break
    }
    case 'limited':
      notices.push(...countLimited(state, rules, op, now))
      break
    case 'bye':
      state.waiters = state.waiters.filter((waiter) => waiter.instance !== op.instance)
      delete state.dueAt[op.instance]
      break
    default:
      op satisfies never
  }

  let line = fairOrder(state, rules, now)
  for (;;) {
    const head = line[0]
    if (head === undefined || head.instance !== op.instance || op.after === 'silence') break
    const bursting = line.length === 1 && head.id === fresh
    if (openAt(state, rules, line, bursting, now) > now) break
    countGrant(state, head, line)
    state.waiters.splice(state.waiters.indexOf(head), 1)
    state.slots.push({
      id: head.id,
      user: head.user,
      grantedAt: now,
      doneAt: -1,
      freeAt: now + rules.timeoutMs + rules.windowMs,
    })
    granted.push(head.id)
    line = fairOrder(state, rules, now)
  }

  const place = line.findIndex((waiter) => waiter.id === fresh)
  let refused: BudgetReply['refused']
  if (fresh !== '' && place >= 0 && op.type === 'ask') {
    const waitMs = createEstimate(state, rules, line, now)(place)
    const own = line.filter((waiter) => waiter.user === op.user).length
    const reason = refusal(own, line.length, place, waitMs, op.withinMs, rules)
    if (reason !== undefined) {
      refused = { reason, retryAfterMs: waitMs }
      state.waiters = state.waiters.filter((waiter) => waiter.id !== fresh)
    } else if (line.length > rules.maxWaiting) {
      // The one who would be served last makes room; its instance sees it missing, asks again, and is refused.
      state.waiters = state.waiters.filter((waiter) => waiter.id !== line.at(-1)?.id)
    }
    line = fairOrder(state, rules, now)
  }
  forgetUsers(state)

  const opensAt = Math.max(now, openAt(state, rules, line, false, now))
  const estimateMs = createEstimate(state, rules, line, now)
  const waiting: [string, number][] = []
  for (const [position, waiter] of line.entries())
    if (waiter.instance === op.instance) waiting.push([waiter.id, estimateMs(position)])
  let nextMs = rules.heartbeatMs
  if (waiting.length > 0) {
    const ahead = line.findIndex((waiter) => waiter.instance === op.instance)
    const turnAt = opensAt + Math.floor((ahead * rules.windowMs) / rules.limit)
    nextMs = Math.min(Math.max(1, Math.ceil(turnAt - now)), rules.pollMs)
  }
  if (op.type !== 'bye') state.dueAt[op.instance] = now + nextMs

  return {
    state,
    reply: {
      epoch: state.epoch,
      calls: state.calls,
      granted,
      waiting,
      refused,
      nextMs,
      openMs: Math.ceil(opensAt - now),
      limit: currentLimit(state, rules),
      frees: state.slots.map((slot) => slot.freeAt - now).toSorted((a, b) => a - b),
      waitingTotal: line.length,
      frozenMs: Math.max(0, Math.ceil(state.frozenUntil - now)),
      strict: state.strict,
      foreignUse: state.foreignUse,
      instances: Object.keys(state.dueAt).length,
      notices,
    },
  }
}

function refusal(
  own: number,
  waiting: number,
  place: number,
  waitMs: number,
  withinMs: number,
  rules: BudgetRules,
): RefusalReason | undefined {
  if (own > rules.maxWaitingPerUser) return 'user-queue-full'
  if (waiting > rules.maxWaiting && place === waiting - 1) return 'queue-full'
  if (waitMs > withinMs) return 'too-late'
  return undefined
}

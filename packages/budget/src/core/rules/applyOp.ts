import { type BudgetState, createBudgetState, type QueuedRequest } from './BudgetState.js'
import { admit } from './admit.js'
import { countLimited, recover } from './countLimited.js'
import { countGrant, enqueue, fairOrder, forgetUsers, isPresent } from './fairOrder.js'
import { createForecast, openAt } from './opening.js'
import { FORGET_MS, noticeApart } from './noticeApart.js'
import type { AskAction, BudgetAction, BudgetOp, BudgetReply, BudgetRules } from '../protocol.js'
import { replyOf } from './replyOf.js'
import { isBeingMade, isSameCall, shareCall, unshareCall } from './sharedCalls.js'
import { LONGEST_WAIT_MS, steadyTimes } from './steadyTimes.js'
import { forget, KeyMap } from './tables.js'
import type { Turn } from './Turn.js'

/**
 * A call that took so long to arrive is too late: its sender gives it up after a second
 * (`createRedisStore.ts`).
 */
const DELAYED_MS = 750
/** Reports within this time are of the same step: an idle instance calls every two seconds. */
const SAME_STEP_MS = 4_000

interface Applied {
  readonly state: BudgetState
  readonly reply: BudgetReply
}

/**
 * One call of one instance: the whole of the budget's rules, without a timer and without I/O. It changes
 * `state` in place (`undefined`: there is none yet; `broken`: what there is cannot be used) and grants what
 * the caller can get now. The script for Redis is compiled from this file and those that it imports: `npx tsx
 * tools/lua/generate.ts` after a change.
 */
export function applyOp(
  previous: BudgetState | 'broken' | undefined,
  rules: BudgetRules,
  sent: BudgetOp,
  now: number,
): Applied {
  const op = noticeDelay(sent, now)
  const isBroken = previous === 'broken'
  const state = previous === undefined || isBroken ? createBudgetState(op.newEpoch, rules) : previous
  const turn: Turn = {
    state,
    rules,
    op,
    now,
    previousAt: Math.min(state.lastAt, now),
    granted: [],
    shared: [],
    notices: [],
    added: new KeyMap(),
    refused: [],
    covered: [],
    ranked: [],
  }
  steadyTimes(turn)
  noticeLoss(turn, isBroken)
  noticeApart(turn)
  expire(turn)
  state.strict ||= rules.strict
  recover(turn)
  state.dueAt[op.instance] = now
  for (const action of op.actions) act(turn, action)
  // Sorted once a call: a grant takes the head from it, a refusal one place.
  const ready = grantHeads(turn, fairOrder(turn))
  const forecast = createForecast(turn, ready)
  const queue = admit(turn, ready, forecast)
  forgetUsers(state)
  return { state, reply: replyOf(turn, queue, forecast) }
}

/**
 * A client may try a call again until a server takes it, seconds later. By then its sender does not wait for
 * the reply, and has used slots since. So the call is granted nothing, and its report is too old.
 */
function noticeDelay(op: BudgetOp, now: number): BudgetOp {
  const delayMs = op.sentAt > 0 ? now - op.sentAt : 0
  if (delayMs < DELAYED_MS) return op
  const after = op.after === 'reply' ? 'silence' : op.after
  const { instance, epoch, seen, newEpoch, sentAt, actions } = op
  return { instance, epoch, seen, newEpoch, after, silentMs: op.silentMs + delayMs, sentAt, actions }
}

/**
 * An instance that knows another epoch, or a higher call count of this one (the state was restored from a
 * copy), may have sent requests that this state does not hold. So may any instance if the state was broken,
 * or if a clock that stepped forward ended slots too early. Then no slot is granted for one window.
 */
function noticeLoss(turn: Turn, isBroken: boolean): void {
  const { state, rules, op, now, notices } = turn
  const elsewhere = op.epoch !== '' && op.epoch !== state.epoch
  const restored = op.epoch === state.epoch && op.seen > state.calls
  const lost = (elsewhere && state.cold) || restored || isBroken
  if (restored) state.epoch = op.newEpoch
  if (elsewhere || restored || isBroken) state.cold = false
  if (lost) notices.push({ type: 'budget.store', reason: 'state-lost' })
  // Each instance reports a step of the clock. The first report counts.
  const stepped = op.after === 'clock-step' && now - state.steppedAt >= SAME_STEP_MS
  if (stepped) state.steppedAt = now
  if (lost || stepped) state.frozenUntil = Math.max(state.frozenUntil, now + rules.windowMs + rules.graceMs)
  state.calls += 1
}

function expire(turn: Turn): void {
  const { state, now } = turn
  state.slots = state.slots.filter((slot) => slot.freeAt > now)
  state.waiters = state.waiters.filter((waiter) => waiter.until > now)
  state.shared = state.shared.filter((waiter) => waiter.until > now)
  for (const instance in state.dueAt)
    if ((state.dueAt[instance] ?? 0) + FORGET_MS < now && state.apart[instance] === undefined)
      forget(state.dueAt, instance)
}

/** Applies an action of the caller. */
function act(turn: Turn, action: BudgetAction): void {
  const { state, rules, op, now } = turn
  switch (action.type) {
    case 'ask':
      enter(turn, action)
      break
    case 'leave': {
      const held = state.slots.find((slot) => slot.id === action.id && slot.doneAt < 0)
      state.waiters = state.waiters.filter((waiter) => waiter.id !== action.id)
      state.shared = state.shared.filter((waiter) => waiter.id !== action.id)
      if (held === undefined) break
      state.slots = state.slots.filter((slot) => slot !== held)
      unshareCall(state, held)
      break
    }
    case 'release': {
      const held = state.slots.find((slot) => slot.id === action.id && slot.doneAt < 0)
      if (held === undefined) break
      if (action.outcome === 'unsent') state.slots = state.slots.filter((slot) => slot !== held)
      held.doneAt = now
      held.freeAt = now + rules.windowMs + rules.marginMs
      if (action.outcome === 'aborted') held.freeAt += rules.graceMs
      if (action.outcome !== 'answered') unshareCall(state, held)
      break
    }
    case 'limited':
      countLimited(turn, action)
      break
    case 'bye':
      // The reply takes those that share a call out.
      state.waiters = state.waiters.filter((waiter) => waiter.instance !== op.instance)
      forget(state.dueAt, op.instance)
      break
    default:
      action satisfies never
  }
}

/** A request comes to the queue, or asks again. */
function enter(turn: Turn, ask: AskAction): void {
  const { state, rules, op, now } = turn
  const { id, user, call, cost, background, covered } = ask
  const held = state.slots.find((slot) => slot.id === id)
  if (held !== undefined && held.doneAt >= 0) return
  // The reply to its first call was lost, so it was not sent. While frozen it goes back to the queue; else
  // its time starts again.
  if (held !== undefined && now >= state.frozenUntil) {
    held.grantedAt = now
    held.freeAt = now + rules.timeoutMs + rules.windowMs
    turn.granted.push(id)
    return
  }
  state.slots = state.slots.filter((slot) => slot !== held)
  if (findById(state.waiters, id) !== undefined || findById(state.shared, id) !== undefined) return
  if (isBeingMade(turn, call, covered?.at)) {
    turn.shared.push(id)
    return
  }
  const until = now + Math.min(ask.withinMs, LONGEST_WAIT_MS)
  const entry = { id, instance: op.instance, user, call, cost, background, until }
  state.waiters.push(entry)
  enqueue(state, user, covered?.start)
  turn.added.set(id, covered === undefined ? 'new' : 'again')
  // While nothing else waits, the requests that one call of the store brings are served as if each had come
  // alone.
  const other = state.waiters.find((waiter) => !isSameCall(waiter, entry) && isPresent(turn, waiter))
  if (other === undefined) grantHeads(turn, fairOrder(turn))
}

function findById(list: readonly QueuedRequest[], id: string): QueuedRequest | undefined {
  return list.find((waiter) => waiter.id === id)
}

/**
 * Grants slots while the head of the queue belongs to the calling instance. Other instances get theirs when
 * they call, so the holder of every granted slot knows it. Returns the rest of the queue.
 */
function grantHeads(turn: Turn, sorted: QueuedRequest[]): QueuedRequest[] {
  const { state, rules, op, now, granted } = turn
  let queue = sorted
  if (op.after === 'silence') return queue
  for (;;) {
    const first = queue[0]
    if (first === undefined) return queue
    // Without the others of its call a new request would be alone.
    const burst = queue.length > 1 ? undefined : state.waiters.find((waiter) => mayBurst(turn, waiter))
    const head = burst ?? first
    if (head.instance !== op.instance || (!burst && openAt(turn, queue, false) > now)) return queue
    countGrant(state, head, queue)
    queue.shift()
    state.waiters = state.waiters.filter((waiter) => waiter !== head)
    const freeAt = now + rules.timeoutMs + rules.windowMs
    const { id, user, call } = head
    const instance = call === undefined ? undefined : op.instance
    state.slots.push({ id, user, call, instance, grantedAt: now, doneAt: -1, freeAt })
    granted.push(id)
    // The others with this call were counted before the next calls of their users.
    if (shareCall(state, call)) queue = fairOrder(turn)
  }
}

function mayBurst(turn: Turn, waiter: QueuedRequest): boolean {
  return turn.added.get(waiter.id) === 'new' && openAt(turn, [waiter], true) <= turn.now
}

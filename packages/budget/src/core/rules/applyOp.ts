import { type BudgetState, createBudgetState, type QueuedRequest } from '../BudgetState.js'
import { countLimited, recover } from './countLimited.js'
import type { RefusalReason } from '../events.js'
import { countGrant, enqueue, fairOrder, forgetUsers } from './fairOrder.js'
import { createForecast, currentLimit, type Forecast, openAt } from './opening.js'
import type { BudgetOp, BudgetReply, BudgetRules } from '../protocol.js'
import { LONGEST_WAIT_MS, steadyTimes } from './steadyTimes.js'
import type { Turn } from '../Turn.js'

/** An instance that has not called for this long after it was due is no longer counted. */
const FORGET_INSTANCE_MS = 60_000
/** Reports within this time are of the same step: an idle instance calls every two seconds. */
const SAME_STEP_MS = 4_000

interface Applied {
  readonly state: BudgetState
  readonly reply: BudgetReply
}

/**
 * One call of one instance: the whole of the budget's rules, without a timer and without I/O. It changes `state` in place (`undefined`:
 * there is none yet; `broken`: what there is cannot be used) and grants what the caller can get now. The same rules are in Lua in
 * `redis/lua/`, and a test holds the two together: change both.
 */
export function applyOp(
  previous: BudgetState | 'broken' | undefined,
  rules: BudgetRules,
  op: BudgetOp,
  now: number,
): Applied {
  const isBroken = previous === 'broken'
  const state = previous === undefined || isBroken ? createBudgetState(op.newEpoch, rules) : previous
  const turn: Turn = { state, rules, op, now, granted: [], notices: [], added: undefined, refused: undefined }
  steadyTimes(turn)
  noticeLoss(turn, isBroken)
  expire(turn)
  state.strict ||= rules.strict
  recover(turn)
  state.dueAt[op.instance] = now
  act(turn)
  // Sorted once a call: a grant takes the head from it, a refusal one place.
  const queue = fairOrder(turn)
  grantHeads(turn, queue)
  const forecast = createForecast(turn, queue)
  admit(turn, queue, forecast)
  forgetUsers(state)
  return { state, reply: replyOf(turn, queue, forecast) }
}

/**
 * An instance that knows another epoch, or a higher call count of this one (the state was restored from a copy), may have sent requests that
 * this state does not hold. So may any instance if the state was broken, or if a clock that stepped forward ended slots too early. Then no slot
 * is granted for one window.
 */
function noticeLoss({ state, rules, op, now, notices }: Turn, isBroken: boolean): void {
  const elsewhere = op.epoch !== '' && op.epoch !== state.epoch
  const restored = op.epoch === state.epoch && op.seen > state.calls
  const lost = (elsewhere && state.cold) || restored || isBroken
  if (restored) state.epoch = op.newEpoch
  if (elsewhere || restored || isBroken) state.cold = false
  if (lost) notices.push({ type: 'budget.state-lost' })
  // After a silence of this length other instances may use slots on their own. They report it at their next call, which may come later.
  const quarantineMs = rules.windowMs + rules.graceMs
  const apart = op.after === 'silence' && op.silentMs >= quarantineMs
  // Each instance reports a step of the clock. The first report counts.
  const stepped = op.after === 'clock-step' && now - state.steppedAt >= SAME_STEP_MS
  if (stepped) state.steppedAt = now
  if (lost || apart || stepped || op.after === 'own-share')
    state.frozenUntil = Math.max(state.frozenUntil, now + quarantineMs)
  state.calls += 1
}

function expire({ state, now }: Turn): void {
  state.slots = state.slots.filter((slot) => slot.freeAt > now)
  state.waiters = state.waiters.filter((waiter) => waiter.until > now)
  for (const [instance, dueAt] of Object.entries(state.dueAt))
    if (dueAt + FORGET_INSTANCE_MS < now) delete state.dueAt[instance]
}

/** Applies the caller's action. */
function act(turn: Turn): void {
  const { state, rules, op, now } = turn
  switch (op.type) {
    case 'ask': {
      const held = state.slots.find((slot) => slot.id === op.id)
      if (held !== undefined && held.doneAt >= 0) break
      // The reply to its first call was lost, so it was not sent. While frozen it goes back to the queue; else its time starts again.
      if (held !== undefined && now >= state.frozenUntil) {
        held.grantedAt = now
        held.freeAt = now + rules.timeoutMs + rules.windowMs
        turn.granted.push(op.id)
        break
      }
      state.slots = state.slots.filter((slot) => slot !== held)
      if (state.waiters.some((waiter) => waiter.id === op.id)) break
      const { id, instance, user, cost, background } = op
      state.waiters.push({
        id,
        instance,
        user,
        cost,
        background,
        until: now + Math.min(op.withinMs, LONGEST_WAIT_MS),
      })
      enqueue(state, user)
      turn.added = op
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
      countLimited(turn, op)
      break
    case 'bye':
      state.waiters = state.waiters.filter((waiter) => waiter.instance !== op.instance)
      delete state.dueAt[op.instance]
      break
    default:
      op satisfies never
  }
}

/**
 * Grants slots while the head of the queue belongs to the calling instance. Other instances get theirs when they call, so the holder of every
 * granted slot knows it.
 */
function grantHeads(turn: Turn, queue: QueuedRequest[]): void {
  const { state, rules, op, now, granted, added } = turn
  if (op.after === 'silence') return
  for (;;) {
    const head = queue[0]
    if (head === undefined || head.instance !== op.instance) return
    const bursting = queue.length === 1 && head.id === added?.id
    if (openAt(turn, queue, bursting) > now) return
    countGrant(state, head, queue)
    queue.shift()
    state.waiters.splice(state.waiters.indexOf(head), 1)
    const freeAt = now + rules.timeoutMs + rules.windowMs
    state.slots.push({ id: head.id, user: head.user, grantedAt: now, doneAt: -1, freeAt })
    granted.push(head.id)
  }
}

/** Refuses a new request that cannot get a slot in time; otherwise keeps the queue to its maximum length. */
function admit(turn: Turn, queue: QueuedRequest[], forecast: Forecast): void {
  const { state, rules, added } = turn
  const place = queue.findIndex((waiter) => waiter.id === added?.id)
  if (added === undefined || place < 0) return

  const waitMs = forecast.waitMs(place)
  const own = queue.filter((waiter) => waiter.user === added.user).length
  let reason: RefusalReason | undefined
  if (own > rules.maxWaitingPerUser) reason = 'user-queue-full'
  else if (queue.length > rules.maxWaiting && place === queue.length - 1) reason = 'queue-full'
  else if (waitMs > added.withinMs) reason = 'too-late'
  if (reason !== undefined) turn.refused = { reason, retryAfterMs: waitMs }

  // The last request of the queue is removed. Its instance sees that it is missing, asks again, and is refused.
  const last = queue.length > rules.maxWaiting ? queue.length - 1 : undefined
  const leaving = reason === undefined ? last : place
  if (leaving === undefined) return
  const [leaver] = queue.splice(leaving, 1)
  state.waiters = state.waiters.filter((waiter) => waiter !== leaver)
}

function replyOf(turn: Turn, queue: readonly QueuedRequest[], forecast: Forecast): BudgetReply {
  const { state, rules, op, now, granted, refused, notices } = turn
  const { opensAt, waitMs } = forecast
  const waiting: [string, number][] = []
  for (const [position, waiter] of queue.entries())
    if (waiter.instance === op.instance) waiting.push([waiter.id, waitMs(position)])

  let nextMs = rules.heartbeatMs
  const ahead = queue.findIndex((waiter) => waiter.instance === op.instance)
  if (ahead >= 0) {
    const turnAt = opensAt + Math.floor((ahead * rules.windowMs) / rules.limit)
    nextMs = Math.min(Math.max(1, Math.ceil(turnAt - now)), rules.pollMs)
  }
  if (op.type !== 'bye') state.dueAt[op.instance] = now + nextMs

  return {
    at: now,
    epoch: state.epoch,
    calls: state.calls,
    granted,
    waiting,
    refused,
    nextMs,
    openMs: Math.ceil(opensAt - now),
    limit: currentLimit(turn),
    frees: state.slots.map((slot) => slot.freeAt - now).toSorted((a, b) => a - b),
    waitingTotal: queue.length,
    frozenMs: Math.max(0, Math.ceil(state.frozenUntil - now)),
    strict: state.strict,
    foreignUse: state.foreignUse,
    instances: Object.keys(state.dueAt).length,
    notices,
  }
}

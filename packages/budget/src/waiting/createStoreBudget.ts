import { type Budget, BudgetRefusal, type Slot, type SlotRequest } from './Budget.js'
import type { BudgetStore } from '../core/BudgetStore.js'
import type { Clock } from '../core/Clock.js'
import { KEPT_OF_CALL } from '../core/rules/admit.js'
import type { BudgetEvent } from '../core/events.js'
import type { BudgetAction, BudgetReply, BudgetRules } from '../core/protocol.js'
import { createOutbox } from './createOutbox.js'
import { createRecentRefusals } from './createRecentRefusals.js'
import { createRoundTrip } from './createRoundTrip.js'
import { createWaitCounter } from './createWaitCounter.js'
import { gaugeOf } from './gaugeOf.js'
import { createWaiters } from './createWaiters.js'
import { createWaiter, RETRY_MS, type Waiter, type WaitOutcome } from './Waiter.js'

interface StoreBudgetOptions {
  readonly store: BudgetStore
  readonly rules: BudgetRules
  readonly clock: Clock
  readonly random: () => number
  /** Name of this instance, different from all others. */
  readonly instance: string
  /**
   * How the store knows a user. Default: by the id, with a word in front, so that no id is a name of the
   * language.
   */
  readonly userKey?: ((user: string) => string) | undefined
  readonly onEvent: (event: BudgetEvent) => void
}

/** A grant that arrives this late is returned: the process was paused and may be paused again. */
const STALE_MS = 1_000
const CLOSING_RETRY_MS = 1_000

/**
 * The waiters of this instance around a state that may be shared: when to ask again, and what to do with a
 * late reply.
 */
export function createStoreBudget(options: StoreBudgetOptions): Budget {
  const { store, rules, clock, instance, onEvent: emit } = options
  const { userKey = (user) => `user ${user}` } = options
  const waiters = createWaiters()
  const recent = createRecentRefusals(clock)
  const held = new Set<string>()
  const slotIds = new WeakMap<Slot, string>()
  const waits = createWaitCounter()
  const roundTrip = createRoundTrip()
  let ids = 0
  let calls = 0
  let reachable = true
  let closed = false
  let lastCall = Promise.resolve()
  let latest: { readonly reply: BudgetReply; readonly at: number } | undefined
  let cancelTimer = (): void => {}

  const call = (actions: readonly BudgetAction[]): Promise<void> => {
    calls += 1
    const number = calls
    const sentAt = clock.now()
    const asked = new Set(actions.flatMap((action) => (action.type === 'ask' ? [action.id] : [])))
    lastCall = store.call(actions).then(
      (reply) => onReply(reply, asked, number, sentAt),
      () => onFailure(asked),
    )
    return lastCall
  }

  const outbox = createOutbox(clock, call)
  const send = (action: BudgetAction): void => outbox.add(action)

  const ask = (request: Waiter): void => {
    request.status = 'asking'
    const { id, user, call, cost, background, covered, remainingMs } = request
    const withinMs = Math.max(1, Math.floor(remainingMs()))
    send({ type: 'ask', id, user, call, cost, background, withinMs, covered })
  }

  /** The regular call, made by the timer. It also offers some of the covered requests to the queue. */
  const poll = (): void => {
    for (const request of waiters.takeCovered(2, 32)) ask(request)
    outbox.flush()
  }

  const schedule = (delayMs: number): void => {
    cancelTimer()
    if (closed || delayMs === Infinity) return
    // Only a waiting request keeps the process alive.
    cancelTimer = clock.after(delayMs, poll, waiters.size > 0)
  }

  const refuse = (request: Waiter, reason: BudgetRefusal['reason'], retryAfterMs: number): void => {
    const refusal = new BudgetRefusal(reason, Math.max(1, Math.ceil(retryAfterMs)))
    emit({ type: 'budget.refused', reason, retryAfterMs: refusal.retryAfterMs })
    request.settle(refusal)
  }

  const makeSlot = (id: string): Slot => {
    const grantedAt = clock.now()
    const slot: Slot = {
      release(outcome) {
        if (!held.delete(id)) return
        roundTrip.add(clock.now() - grantedAt, outcome)
        send({ type: 'release', id, outcome })
      },
      async [Symbol.asyncDispose]() {
        slot.release('aborted')
      },
    }
    held.add(id)
    slotIds.set(slot, id)
    return slot
  }

  const grant = (id: string, sentAt: number): void => {
    // The grant is known already: an `ask` was sent twice.
    if (held.has(id)) return
    const request = waiters.get(id)
    const stale = clock.now() - sentAt > STALE_MS
    if (request !== undefined && !stale) {
      waits.add(clock.now() - request.since)
      return request.settle(makeSlot(id))
    }
    send({ type: 'release', id, outcome: 'unsent' })
    if (request === undefined) return
    // Under a new id: if the two calls changed places, the release would end the new grant.
    waiters.delete(id)
    request.id = nextId()
    waiters.add(request)
    ask(request)
  }

  /** These requests were asked for in a call that is over. Its reply shows whether the store knows them. */
  const forget = (asked: Set<string>): void => {
    for (const id of asked) {
      const request = waiters.get(id)
      if (request !== undefined) request.status = 'unknown'
    }
  }

  const onReply = (reply: BudgetReply, asked: Set<string>, number: number, sentAt: number): void => {
    reachable = true
    latest = { reply, at: clock.now() }
    for (const notice of reply.notices) emit(notice)
    forget(asked)
    for (const { id, reason, retryAfterMs } of reply.refused) {
      const request = waiters.get(id)
      if (request === undefined) continue
      recent.add(request, { reason, retryAfterMs })
      refuse(request, reason, retryAfterMs)
    }
    for (const id of reply.granted) grant(id, sentAt)
    for (const id of reply.shared) waiters.get(id)?.settle('shared')

    for (const [id, start] of reply.covered) {
      const request = waiters.get(id)
      if (request === undefined) continue
      request.status = 'covered'
      request.covered ??= { at: reply.at, start }
    }
    const queued = new Map(reply.waiting)
    // A request that is over and is still in the queue: another request of its call ended it before the store
    // had its ask. One that got a slot without Redis meanwhile keeps it.
    for (const id of queued.keys()) if (!waiters.get(id) && !held.has(id)) send({ type: 'leave', id })
    for (const request of waiters.all()) {
      const waitMs = queued.get(request.id)
      if (waitMs !== undefined) {
        if (request.status !== 'queued') request.lastCall = calls
        request.status = 'queued'
        request.waitMs = waitMs
      } else if (
        (request.status === 'unknown' && !asked.has(request.id)) ||
        (request.status === 'queued' && number > request.lastCall)
      ) {
        ask(request)
      }
      const isKnown = request.status === 'queued' || request.status === 'covered'
      if (isKnown && reply.openMs > request.remainingMs()) {
        send({ type: 'leave', id: request.id })
        refuse(request, 'too-late', Math.max(request.waitMs, reply.openMs))
      }
    }
    schedule(waiters.size === 0 ? reply.nextMs : Math.min(reply.nextMs, rules.pollMs))
  }

  const onFailure = (asked: Set<string>): void => {
    reachable = false
    forget(asked)
    schedule(RETRY_MS)
  }

  const nextId = (): string => `${instance}:${(ids += 1)}`

  /**
   * If a request gets a slot, all others of its call have their result too. If it leaves without one, covered
   * requests of the call take its place in the queue.
   */
  const onSettled = (waiter: Waiter, outcome: WaitOutcome): void => {
    waiters.delete(waiter.id)
    if (waiter.status === 'asking') outbox.withdraw(waiter.id)
    if (waiter.call === undefined) return
    if (outcome === 'shared' || 'release' in outcome) {
      const others = waiters.ofCall(waiter.call)
      // First all: the end of one must not end the others again, one inside the other.
      for (const { id } of others) waiters.delete(id)
      for (const other of others) other.settle('shared')
    } else if (waiter.status !== 'covered' && !closed)
      for (const other of waiters.takeCovered(KEPT_OF_CALL, KEPT_OF_CALL, waiter.call)) ask(other)
  }

  const acquire = (wanted: SlotRequest): Promise<Slot | 'shared'> =>
    new Promise((resolve, reject) => {
      if (wanted.signal.aborted) return reject(wanted.signal.reason)
      const waiter = createWaiter({
        id: nextId(),
        request: wanted,
        user: userKey(wanted.user),
        clock,
        roundTrip,
        onSettled(outcome) {
          onSettled(waiter, outcome)
          if (outcome instanceof BudgetRefusal) reject(outcome)
          else if (outcome !== 'shared' && 'aborted' in outcome) reject(outcome.aborted)
          else resolve(outcome)
        },
      })
      if (closed) return refuse(waiter, 'closing', CLOSING_RETRY_MS)
      if (waiter.remainingMs() <= 0) return refuse(waiter, 'too-late', latest?.reply.openMs ?? RETRY_MS)
      // The state counts the waiters of all instances. While it cannot be reached, this instance counts its
      // own.
      if (!reachable && waiters.calls() >= rules.maxWaiting)
        return refuse(waiter, 'queue-full', rules.windowMs)
      const refusal = recent.find(waiter)
      if (refusal !== undefined) return refuse(waiter, refusal.reason, refusal.retryAfterMs)

      waiters.add(waiter)
      waiter.watch({
        onAbort(reason) {
          waiter.settle({ aborted: reason })
          send({ type: 'leave', id: waiter.id })
        },
        onMoreTime() {
          if (reachable) ask(waiter)
        },
        onDeadline() {
          send({ type: 'leave', id: waiter.id })
          refuse(waiter, 'too-late', waiter.waitMs)
        },
      })
      if (reachable) ask(waiter)
    })

  // A heartbeat at once, so that the instance is counted.
  if (rules.heartbeatMs < Infinity) outbox.flush()

  return {
    // Without `call` it is never shared.
    acquire: acquire as Budget['acquire'],
    rateLimited(retryAfterMs, slot) {
      const id = (slot && slotIds.get(slot)) ?? ''
      send({ type: 'limited', id, retryAfterMs, jitter: options.random() })
    },
    gauge() {
      const known = latest && { reply: latest.reply, elapsedMs: clock.now() - latest.at }
      return gaugeOf(known, rules, waiters.calls(), waits.read())
    },
    degraded: () => store.degraded(),
    async close() {
      closed = true
      cancelTimer()
      for (const request of waiters.all()) refuse(request, 'closing', CLOSING_RETRY_MS)
      send({ type: 'bye' })
      await lastCall
    },
  }
}

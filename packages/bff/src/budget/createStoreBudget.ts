import { type Budget, BudgetRefusal, type Slot, type SlotRequest } from './Budget.js'
import type { Clock } from './core/Clock.js'
import type { BudgetStore } from './core/BudgetStore.js'
import type { BudgetAction, BudgetNotice, BudgetReply, BudgetRules } from './core/protocol.js'
import type { BudgetEvent } from './core/events.js'
import { userKey } from './userKey.js'
import { createWaitCounter } from './createWaitCounter.js'

export interface StoreBudgetOptions {
  readonly store: BudgetStore
  readonly rules: BudgetRules
  readonly clock: Clock
  readonly random: () => number
  /** Sets the requests of this instance apart from those of every other. */
  readonly instance: string
  /** Calls at once and from time to time, so that the instances are counted. */
  readonly announce: boolean
  readonly onEvent: (event: BudgetEvent) => void
}

/** A grant that took this long to arrive is given back: the process stood still, and nobody knows for how long it will go on. */
const STALE_MS = 1_000
const RETRY_MS = 250
const CLOSING_RETRY_MS = 1_000
/** Costs are whole numbers, so that every store counts alike. */
const UNIT_COST = 1_000

/*
 * A request that wants a slot:
 *
 *           answer: in line
 *   asking ----------------> in line --answer: granted--> gone, with a slot
 *     |  ^                      |
 *     |  '-- ask again ---.     | a later answer does not know it
 *     |                   |     v
 *     '--call failed--> unknown '
 *
 * and from everywhere to gone: refused, aborted by its caller, past its deadline, closing.
 */
interface Pending {
  id: string
  readonly user: string
  readonly cost: number
  readonly background: boolean
  readonly since: number
  readonly remainingMs: () => number
  standing: 'asking' | 'in line' | 'unknown'
  /** The last call that had been made when it came in line: answers to earlier ones cannot know it. */
  lastCall: number
  waitMs: number
  readonly settle: (outcome: Slot | BudgetRefusal | { readonly aborted: unknown }) => void
}

/** The requests of this instance around a state that may be shared: who waits, when to ask again, and what to do with a late answer. */
export function createStoreBudget(options: StoreBudgetOptions): Budget {
  const { store, rules, clock, instance } = options
  const pending = new Map<string, Pending>()
  const held = new Set<string>()
  const slotIds = new WeakMap<Slot, string>()
  const waits = createWaitCounter()
  let ids = 0
  let calls = 0
  let reachable = true
  let closed = false
  let latest: { readonly reply: BudgetReply; readonly at: number } | undefined
  let cancelTimer = (): void => {}

  const emit = options.onEvent

  const call = (action: BudgetAction): Promise<void> => {
    calls += 1
    const number = calls
    const sentAt = clock.now()
    return store.call(action).then(
      (reply) => hear(reply, action, number, sentAt),
      () => fail(action),
    )
  }

  const send = (action: BudgetAction): void => void call(action)

  const ask = (request: Pending): void => {
    request.standing = 'asking'
    const { id, user, cost, background, remainingMs } = request
    const withinMs = Math.max(1, Math.floor(remainingMs()))
    send({ type: 'ask', id, user, cost, background, withinMs })
  }

  const schedule = (delayMs: number): void => {
    cancelTimer()
    if (closed || delayMs === Infinity) return
    // Only a waiting request keeps the process alive.
    cancelTimer = clock.after(delayMs, () => send({ type: 'poll' }), pending.size > 0)
  }

  const refuse = (request: Pending, reason: BudgetRefusal['reason'], retryAfterMs: number): void => {
    const refusal = new BudgetRefusal(reason, Math.max(1, Math.ceil(retryAfterMs)))
    emit({ type: 'budget.refused', reason, retryAfterMs: refusal.retryAfterMs })
    request.settle(refusal)
  }

  const makeSlot = (id: string): Slot => {
    const slot: Slot = {
      release(outcome) {
        if (held.delete(id)) send({ type: 'release', id, outcome })
      },
    }
    held.add(id)
    slotIds.set(slot, id)
    return slot
  }

  const grant = (id: string, sentAt: number): void => {
    // Told twice: an `ask` was repeated.
    if (held.has(id)) return
    const request = pending.get(id)
    const stale = clock.now() - sentAt > STALE_MS
    if (request !== undefined && !stale) {
      waits.add(clock.now() - request.since)
      return request.settle(makeSlot(id))
    }
    send({ type: 'release', id, outcome: 'unsent' })
    if (request === undefined) return
    // Under a new id: were the two calls to change places, the slot given back would be the one just granted.
    pending.delete(id)
    request.id = nextId()
    pending.set(request.id, request)
    ask(request)
  }

  const hear = (reply: BudgetReply, action: BudgetAction, number: number, sentAt: number): void => {
    reachable = true
    latest = { reply, at: clock.now() }
    for (const notice of reply.notices) emit(eventOf(notice))
    const asked = action.type === 'ask' ? pending.get(action.id) : undefined
    if (asked !== undefined) asked.standing = 'unknown'
    if (asked !== undefined && reply.refused !== undefined) {
      refuse(asked, reply.refused.reason, reply.refused.retryAfterMs)
    }
    for (const id of reply.granted) grant(id, sentAt)

    const line = new Map(reply.waiting)
    for (const request of Array.from(pending.values())) {
      const waitMs = line.get(request.id)
      if (waitMs !== undefined) {
        if (request.standing !== 'in line') request.lastCall = calls
        request.standing = 'in line'
        request.waitMs = waitMs
        if (reply.openMs > request.remainingMs()) {
          send({ type: 'leave', id: request.id })
          refuse(request, 'too-late', Math.max(waitMs, reply.openMs))
        }
      } else if (
        (request.standing === 'unknown' && request !== asked) ||
        (request.standing === 'in line' && number > request.lastCall)
      ) {
        ask(request)
      }
    }
    schedule(pending.size === 0 ? reply.nextMs : Math.min(reply.nextMs, rules.pollMs))
  }

  const fail = (action: BudgetAction): void => {
    reachable = false
    const asked = action.type === 'ask' ? pending.get(action.id) : undefined
    if (asked !== undefined) asked.standing = 'unknown'
    schedule(RETRY_MS)
  }

  const nextId = (): string => {
    ids += 1
    return `${instance}:${ids}`
  }

  const acquire = (wanted: SlotRequest): Promise<Slot> =>
    new Promise((resolve, reject) => {
      const { signal, deadlineMs } = wanted
      if (signal.aborted) return reject(signal.reason)
      const since = clock.now()
      const remainingMs =
        typeof deadlineMs === 'function' ? deadlineMs : () => since + deadlineMs - clock.now()
      const abort = (): void => {
        request.settle({ aborted: signal.reason })
        send({ type: 'leave', id: request.id })
      }
      const request: Pending = {
        id: nextId(),
        user: userKey(wanted.user),
        cost: costOf(wanted.weight ?? 1),
        background: wanted.priority === 'background',
        since,
        remainingMs,
        standing: 'unknown',
        lastCall: 0,
        waitMs: RETRY_MS,
        settle(outcome) {
          pending.delete(request.id)
          signal.removeEventListener('abort', abort)
          cancelDeadline()
          if (outcome instanceof BudgetRefusal) reject(outcome)
          else if ('aborted' in outcome) reject(outcome.aborted)
          else resolve(outcome)
        },
      }
      let cancelDeadline = (): void => {}
      if (closed) return refuse(request, 'closing', CLOSING_RETRY_MS)
      if (remainingMs() <= 0) return refuse(request, 'too-late', latest?.reply.openMs ?? RETRY_MS)
      // The state counts those in line; while it cannot be reached, this instance counts its own.
      if (!reachable && pending.size >= rules.maxWaiting) return refuse(request, 'queue-full', rules.windowMs)

      pending.set(request.id, request)
      signal.addEventListener('abort', abort, { once: true })
      const watchDeadline = (): void => {
        cancelDeadline = clock.after(remainingMs(), () => {
          if (remainingMs() > 0) {
            watchDeadline()
            if (reachable) ask(request)
            return
          }
          send({ type: 'leave', id: request.id })
          refuse(request, 'too-late', request.waitMs)
        })
      }
      watchDeadline()
      if (reachable) ask(request)
    })

  if (options.announce) send({ type: 'poll' })

  return {
    acquire,
    rateLimited(retryAfterMs, slot) {
      const id = (slot && slotIds.get(slot)) ?? ''
      send({ type: 'limited', id, retryAfterMs, jitter: options.random() })
    },
    gauge() {
      const elapsedMs = latest === undefined ? 0 : clock.now() - latest.at
      const reply = latest?.reply
      return {
        limit: reply?.limit ?? rules.limit,
        used: reply?.frees.filter((freeMs) => freeMs > elapsedMs).length ?? 0,
        waiting: Math.max(reply?.waitingTotal ?? 0, pending.size),
        frozenMs: Math.max(0, Math.ceil((reply?.frozenMs ?? 0) - elapsedMs)),
        strict: reply?.strict ?? rules.strict,
        foreignUse: reply?.foreignUse ?? 0,
        waits: waits.read(),
      }
    },
    degraded: () => store.degraded(),
    async close() {
      closed = true
      cancelTimer()
      for (const request of Array.from(pending.values())) refuse(request, 'closing', CLOSING_RETRY_MS)
      await call({ type: 'bye' })
    },
  }
}

function costOf(weight: number): number {
  return Math.max(1, Math.min(UNIT_COST ** 2, Math.round(UNIT_COST / weight)))
}

function eventOf(notice: BudgetNotice): BudgetEvent {
  switch (notice.type) {
    case 'frozen': {
      const { frozenMs, limit, used } = notice
      return { type: 'budget.frozen', frozenMs, limit, used }
    }
    case 'foreign-use':
      return { type: 'budget.foreign-use', used: notice.used }
    case 'strict':
      return { type: 'budget.strict' }
    case 'recovered':
      return { type: 'budget.recovered', limit: notice.limit }
    case 'state-lost':
      return { type: 'budget.state-lost' }
    default:
      return notice satisfies never
  }
}

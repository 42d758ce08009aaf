import { hasMethods, shown } from '../core/check.js'
import type { Clock } from '../core/Clock.js'
import type { BudgetEvent } from '../core/events.js'
import type { Rules } from '../turns/applyTurnsCall.js'
import type { Turn, Turns } from '../turns/createTurns.js'
import { type Budget, BudgetRefusal, type Slot, type SlotRequest } from './Budget.js'
import { createAborts } from './createAborts.js'
import { createFairQueue, type Waiting } from './createFairQueue.js'
import { createRoundTrip } from './createRoundTrip.js'
import { readRequest } from './readRequest.js'

/** A request in the queue, with a function that ends its wait. */
interface Waiter extends Waiting {
  settle(result: Slot | BudgetRefusal | { readonly error: unknown }): void
}

interface WaitingBudgetOptions {
  readonly turns: Turns
  readonly rules: Rules
  readonly maxWaiting: number
  readonly maxWaitingPerUser: number
  readonly clock: Clock
  readonly emit: (event: BudgetEvent) => void
}

/** Interval of the checks for waiters that have no time left. */
const SWEEP_MS = 100
/** If this process is later than this for a turn, the turn is released unused. */
export const STALE_MS = 1_000
const CLOSING_RETRY_MS = 1_000
const OUTCOMES: readonly unknown[] = ['answered', 'unsent', 'aborted']

/*
 *   acquire --> fair queue ------------------.
 *                  | more waiters than turns  v
 *                  '--> take a turn ---> it opens: the head of the queue gets its slot, or it is released
 *
 * Each instance asks for its next turn when its last one has opened, so turns alternate among the instances.
 */
export function createWaitingBudget(options: WaitingBudgetOptions): Budget {
  const { turns, rules, maxWaiting, maxWaitingPerUser, clock, emit } = options
  const { freeze } = turns
  const queue = createFairQueue<Waiter>()
  const sentAtOf = new WeakMap<Slot, number>()
  const roundTrip = createRoundTrip()
  const onAbort = createAborts()
  /** Turns that have not opened yet, with functions that cancel their timers. */
  const opening = new Map<Turn, () => void>()
  /** New requests, which `admit` has not checked yet. */
  let unchecked: Waiter[] = []
  /** Number of calls in flight that ask for turns, and of the turns that they ask for. */
  let calls = 0
  let requested = 0
  /** The earliest time of the next call that asks for turns. */
  let nextCallAt = -Infinity
  /** No turn opens before this time, unless a slot is released unsent. */
  let noTurnBefore = -Infinity
  /** The next turn opens at this time if Redis stays lost. For the time to ask again. */
  let nextOpensAt = -Infinity
  /** Time at which the last turn opens or has opened, and its distance from the one before. */
  let lastOpensAt = -Infinity
  let gapMs = rules.gapMs
  let wasLate = false
  let pumpQueued = false
  let closed = false
  let cancelSweep: (() => void) | undefined

  const leave = (waiter: Waiter): void => {
    queue.delete(waiter)
    if (queue.size > 0) return
    cancelSweep?.()
    cancelSweep = undefined
  }

  const refuse = (waiter: Waiter, reason: BudgetRefusal['reason'], afterMs: number): void => {
    const refusal = new BudgetRefusal(reason, Math.max(1, Math.ceil(afterMs)))
    emit({ type: 'budget.refused', reason, retryAfterMs: refusal.retryAfterMs })
    waiter.settle(refusal)
  }

  /** Runs `pump` once at the end of the current task, after any number of changes. */
  const queuePump = (): void => {
    if (pumpQueued) return
    pumpQueued = true
    queueMicrotask(() => {
      pumpQueued = false
      pump()
    })
  }

  const pump = (): void => {
    const wanted = queue.size - opening.size - requested
    // With a slow connection to Redis, one turn at a time is too slow.
    const most = wasLate ? 2 : 1
    if (!closed && wanted > 0 && calls + opening.size < most && clock.now() >= nextCallAt)
      void ask(turns.used() < rules.burst ? wanted : 1)
    else if (calls === 0) admit()
    sweep()
  }

  const ask = async (wanted: number): Promise<void> => {
    calls += 1
    requested += wanted
    const { turns: taken, waitMs, shutMs, nextMs } = await turns.take(wanted)
    calls -= 1
    requested -= wanted
    const now = clock.now()
    if (taken.length === 0) nextCallAt = now + waitMs
    noTurnBefore = taken.length === 0 && shutMs > 0 ? now + shutMs : -Infinity
    nextOpensAt = taken.length === 0 ? now + nextMs : -Infinity
    for (const turn of taken) awaitTurn(turn)
    // After a burst, the next opening time is not known yet.
    if (taken.length === 0 || opening.size > 0) admit()
    queuePump()
  }

  const awaitTurn = (turn: Turn): void => {
    if (closed) return turns.release(turn.id, 'unsent')
    const delayMs = turn.opensAt - clock.now()
    if (delayMs > 0 && turn.opensAt > lastOpensAt) {
      // The slots that a burst has left over, spread evenly over a window.
      const longestMs = (rules.windowMs * turns.instances()) / Math.max(1, turns.limit() - rules.burst)
      gapMs = Math.max(rules.gapMs, Math.min(turn.opensAt - lastOpensAt, longestMs))
    }
    lastOpensAt = Math.max(lastOpensAt, turn.opensAt)
    wasLate = delayMs <= 0
    if (wasLate) open(turn)
    else
      opening.set(
        turn,
        clock.after(delayMs, () => open(turn)),
      )
  }

  const open = (turn: Turn): void => {
    opening.delete(turn)
    const now = clock.now()
    const isFrozen = now < freeze.frozenUntil
    // The state does not know of this freeze, and would give one turn after the other.
    if (isFrozen) nextCallAt = freeze.frozenUntil
    const isUsable = now - turn.opensAt < STALE_MS && !isFrozen
    if (!isUsable || !give(turn)) turns.release(turn.id, 'unsent')
    queuePump()
  }

  /** Gives the turn to the first waiter that can still use it. Returns false if there is none. */
  const give = ({ id }: Turn): boolean => {
    for (let head = queue.head(); head; head = queue.head()) {
      const { request } = head
      if (request.remainingMs() > 0) {
        queue.charge(head)
        request.settle(makeSlot(id))
        return true
      }
      if (queue.has(request)) refuse(request, 'too-late', againMs(0))
    }
    return false
  }

  const makeSlot = (id: string): Slot => {
    const grantedAt = clock.now()
    let isReleased = false
    const slot: Slot = {
      release(outcome) {
        if (!OUTCOMES.includes(outcome))
          throw new TypeError(
            `Failed to release the slot: the outcome is ${shown(outcome)}. Give 'answered', 'unsent' or 'aborted'.`,
          )
        if (isReleased) return
        isReleased = true
        turns.release(id, outcome)
        roundTrip.add(clock.now() - grantedAt, outcome)
        if (queue.size === 0) return
        // A slot may be free now.
        nextCallAt = -Infinity
        noTurnBefore = -Infinity
        nextOpensAt = -Infinity
        queuePump()
      },
      async [Symbol.asyncDispose]() {
        slot.release('aborted')
      },
    }
    sentAtOf.set(slot, grantedAt)
    return slot
  }

  /** The shortest possible wait of the request at this place in the queue. */
  const waitMs = (place: number, turnAt = noTurnBefore): number => {
    const now = clock.now()
    const apart = Math.max(gapMs, rules.windowMs / turns.limit())
    const next = (opening.size > 0 ? lastOpensAt : turnAt) - now
    return Math.max(next, freeze.frozenUntil - now, 0) + place * apart
  }

  /** When a request at this place should ask again. */
  const againMs = (place: number): number => waitMs(place, Math.max(noTurnBefore, nextOpensAt))

  /** Refuses new requests that cannot succeed: the queue is full, or they have too little time. */
  const admit = (): void => {
    const arrived = unchecked.filter((waiter) => queue.has(waiter))
    unchecked = []
    if (arrived.length === 0) return
    for (const waiter of arrived.toReversed())
      if (queue.countOf(waiter) > maxWaitingPerUser)
        refuse(waiter, 'user-queue-full', againMs(queue.placeOf(waiter)))
    for (const waiter of queue.beyond(maxWaiting)) refuse(waiter, 'queue-full', againMs(maxWaiting))
    for (const waiter of arrived) {
      if (!queue.has(waiter)) continue
      const place = queue.placeOf(waiter)
      if (isTooLate(waiter, waitMs(place))) refuse(waiter, 'too-late', againMs(place))
    }
  }

  /** Refuses all waiters that have too little time left for the next turn. */
  const expire = (): void => {
    const soonest = waitMs(0)
    for (const waiter of queue) if (isTooLate(waiter, soonest)) refuse(waiter, 'too-late', againMs(0))
  }

  /** False if the caller's function has failed, because then the waiter has left. */
  const isTooLate = (waiter: Waiter, afterMs: number): boolean =>
    waiter.remainingMs() < Math.max(1, afterMs) && queue.has(waiter)

  /** Checks for expired waiters at intervals, while requests wait. */
  const sweep = (): void => {
    if (closed || queue.size === 0 || cancelSweep) return
    cancelSweep = clock.after(SWEEP_MS, () => {
      cancelSweep = undefined
      expire()
      pump()
    })
  }

  const returnTurns = (): void => {
    for (const [turn, cancel] of opening) {
      cancel()
      turns.release(turn.id, 'unsent')
    }
    opening.clear()
  }

  const acquire = (request: SlotRequest): Promise<Slot> =>
    new Promise((resolve, reject) => {
      const { users, callersMs, signal } = readRequest(request, () => clock.now())
      if (signal?.aborted) return reject(signal.reason)
      // At least half of the time is left for waiting. If every request were refused, no faster round trip
      // could be measured.
      const longestMs = callersMs() / 2
      /** Calls a function of the caller. If it fails, the wait ends with its error. */
      const attempt = <TValue>(read: () => TValue, otherwise: TValue): TValue => {
        try {
          return read()
        } catch (error) {
          waiter.settle({ error })
          return otherwise
        }
      }
      const waiter: Waiter = {
        users: () => attempt(users, []),
        remainingMs: () => attempt(callersMs, 0) - Math.min(roundTrip.usualMs(), longestMs),
        settle(result) {
          unsubscribe()
          leave(waiter)
          if (result instanceof BudgetRefusal) reject(result)
          else if ('error' in result) reject(result.error)
          else resolve(result)
        },
      }
      let unsubscribe = (): void => {}
      if (closed) return refuse(waiter, 'closing', CLOSING_RETRY_MS)
      if (waiter.remainingMs() <= 0) return refuse(waiter, 'too-late', againMs(0))
      if (signal) unsubscribe = onAbort(signal, () => waiter.settle({ error: signal.reason }))
      queue.add(waiter)
      unchecked.push(waiter)
      queuePump()
    })

  return {
    acquire,
    rateLimited(retryAfterMs, slot) {
      checkLimited(retryAfterMs, slot)
      turns.limited(retryAfterMs, (slot && sentAtOf.get(slot)) ?? clock.now())
      returnTurns()
      queuePump()
    },
    gauge: () => ({
      limit: turns.limit(),
      used: Math.max(0, turns.used() - opening.size),
      waiting: queue.size,
      frozenMs: Math.max(0, Math.ceil(freeze.frozenUntil - clock.now())),
      foreignUse: freeze.foreignUse,
    }),
    degraded: () => turns.degraded(),
    async close() {
      closed = true
      cancelSweep?.()
      for (const waiter of queue) refuse(waiter, 'closing', CLOSING_RETRY_MS)
      returnTurns()
      await turns.close()
    },
  }
}

function checkLimited(retryAfterMs: unknown, slot: unknown): void {
  const failed = 'Failed to report a 429'
  const isMs = typeof retryAfterMs === 'number' && !Number.isNaN(retryAfterMs)
  if (!isMs && retryAfterMs !== undefined)
    throw new TypeError(
      `${failed}: retryAfterMs is ${shown(retryAfterMs)}. Give milliseconds as a number, or undefined if there is no such header.`,
    )
  if (slot !== undefined && !hasMethods(slot, 'release'))
    throw new TypeError(
      `${failed}: the slot is ${shown(slot)}. Give the slot of the request, or leave it out.`,
    )
}

import { MEETINGS_RATE } from '@stagepass/contract'
import { type Budget, type BudgetGauge, BudgetRefusal, type Slot, type SlotRequest } from './Budget.js'
import { type Clock, systemClock } from './Clock.js'

export interface MemoryBudgetOptions {
  /** Slots that are never used, left to other programs on the same account. Default 0. */
  readonly reserve?: number | undefined
  /** Requests that may wait, for one user and over all. Defaults 20 and 50. */
  readonly maxWaitingPerUser?: number | undefined
  readonly maxWaiting?: number | undefined
  readonly clock?: Clock | undefined
}

interface Waiter {
  readonly user: string
  readonly grant: () => void
  readonly refuse: (reason: BudgetRefusal['reason']) => void
}

const ABORT_MARGIN_MS = 250
const DEFAULT_FREEZE_MS = 1_000

/** The budget of one process: an exact sliding log whose slot is free again one window after the *response*. */
export function createMemoryBudget(options: MemoryBudgetOptions = {}): Budget {
  const clock = options.clock ?? systemClock
  const limit = MEETINGS_RATE.burst - (options.reserve ?? 0)
  const { windowMs } = MEETINGS_RATE
  const maxWaitingPerUser = options.maxWaitingPerUser ?? 20
  const maxWaiting = options.maxWaiting ?? 50

  /** When each used slot is free again; `Infinity` while its request is in flight. */
  const slots = new Map<symbol, number>()
  const waiters: Waiter[] = []
  let frozenUntil = 0
  let closed = false
  let cancelTimer: (() => void) | undefined

  const free = (): void => {
    for (const [slot, freeAt] of slots) if (freeAt <= clock.now()) slots.delete(slot)
  }

  const advance = (): void => {
    cancelTimer?.()
    free()
    while (waiters.length > 0 && slots.size < limit && frozenUntil <= clock.now()) waiters.shift()?.grant()
    if (waiters.length === 0) return
    const nextAt = slots.size < limit ? frozenUntil : Math.max(frozenUntil, Math.min(...slots.values()))
    if (nextAt !== Infinity) cancelTimer = clock.after(nextAt - clock.now(), advance)
  }

  const take = (): Slot => {
    const id = Symbol('slot')
    slots.set(id, Infinity)
    return {
      release(outcome) {
        if (slots.get(id) !== Infinity) return
        if (outcome === 'unsent') slots.delete(id)
        else slots.set(id, clock.now() + windowMs + (outcome === 'aborted' ? ABORT_MARGIN_MS : 0))
        advance()
      },
    }
  }

  const estimateMs = (): number => {
    const openMs =
      slots.size < limit ? 0 : Math.max(0, Math.min(...slots.values(), clock.now() + windowMs) - clock.now())
    const frozenMs = Math.max(0, frozenUntil - clock.now())
    return Math.ceil(Math.max(openMs, frozenMs) + (waiters.length * windowMs) / limit)
  }

  return {
    acquire(request: SlotRequest): Promise<Slot> {
      return new Promise((resolve, reject) => {
        if (closed) return reject(new BudgetRefusal('closing', 1_000))
        if (request.signal.aborted) return reject(request.signal.reason)
        free()
        if (waiters.length === 0 && slots.size < limit && frozenUntil <= clock.now()) return resolve(take())
        const waitMs = estimateMs()
        const own = waiters.filter((waiter) => waiter.user === request.user).length
        if (own >= maxWaitingPerUser) return reject(new BudgetRefusal('user-queue-full', waitMs))
        if (waiters.length >= maxWaiting) return reject(new BudgetRefusal('queue-full', waitMs))
        if (waitMs > request.deadlineMs) return reject(new BudgetRefusal('too-late', waitMs))

        const leave = (): void => {
          waiters.splice(waiters.indexOf(waiter), 1)
          reject(request.signal.reason)
          advance()
        }
        const waiter: Waiter = {
          user: request.user,
          grant() {
            request.signal.removeEventListener('abort', leave)
            resolve(take())
          },
          refuse(reason) {
            request.signal.removeEventListener('abort', leave)
            reject(new BudgetRefusal(reason, waitMs))
          },
        }
        request.signal.addEventListener('abort', leave, { once: true })
        waiters.push(waiter)
        advance()
      })
    },
    rateLimited(retryAfterMs = DEFAULT_FREEZE_MS) {
      frozenUntil = Math.max(frozenUntil, clock.now() + retryAfterMs)
      advance()
    },
    gauge(): BudgetGauge {
      free()
      return {
        limit,
        used: slots.size,
        waiting: waiters.length,
        frozenMs: Math.max(0, frozenUntil - clock.now()),
      }
    },
    degraded: () => undefined,
    async close() {
      closed = true
      cancelTimer?.()
      for (const waiter of waiters.splice(0)) waiter.refuse('closing')
    },
  }
}

import { type Budget, BudgetRefusal, type Slot, type SlotRequest } from '@stagepass/budget'
import { BffError } from '../context/BffError.js'
import { untilCancelled } from '../context/Cancellation.js'
import type { Clock } from '../context/platform.js'
import type { RequestContext } from '../context/RequestContext.js'
import type { Turn } from '../upstream/Upstream.js'
import type { PageNames, SharedPages } from './createSharedPages.js'

/**
 * A request that waits for a page. It stands in the queue of the budget for itself, until one of them all
 * gets a slot.
 */
export interface PageWaiter extends Pick<SlotRequest, 'user' | 'weight' | 'priority'> {
  /** Equal for equal reads in this process. */
  readonly key: string
  /** Names of the page for all instances. They are only made if it is looked for there. */
  readonly names: () => Promise<PageNames>
  readonly context: RequestContext
  /** A stored page must be younger. */
  readonly maxAgeMs: number
}

/** What a load gets. */
interface LoadContext {
  readonly context: RequestContext
  /**
   * Called before each upstream request. `frozenMs`: the last one was answered 429, and this is the wait
   * after it.
   */
  readonly nextTurn: (frozenMs: number | undefined) => Promise<Turn>
  /** Makes the page one of all instances. */
  readonly share: (json: string) => Promise<void> | undefined
}

export type Load = (load: LoadContext) => Promise<string>

export interface LoadedPage {
  readonly json: string
  /** Zero, unless another instance has loaded it. */
  readonly ageMs: number
  /** Whose slot was used; `undefined` if another instance has loaded it. */
  readonly payer: PageWaiter | undefined
  /** It was in Redis before anyone waited for it. */
  readonly wasStored: boolean
}

export interface SharedLoadOptions {
  readonly budget: Budget
  /** The longest time of an upstream request: the budget keeps its slot no longer. */
  readonly deadlineMs: number
  readonly clock: Clock
  /** Pages of all instances. `undefined`: loads are this instance's own. */
  readonly shared: SharedPages | undefined
  /** A name that no load of any instance has had. */
  readonly nextName: () => string
}

/** 132 bits of a page's name: enough to tell pages apart. */
const CALL_LENGTH = 22
const POLL_MS = 50
/**
 * If the page does not come, the waiters ask again after this time: by then the budget knows whether the
 * other instance is alive.
 */
const FOLLOW_MS = 2_500

/** A wait of the load for its turn. */
class Need {
  readonly turn: Promise<Turn>
  readonly frozenMs: number | undefined
  /** `taken`: there is a slot, and a last look for the page. */
  status: 'open' | 'taken' | 'over' = 'open'
  /** Waiters that have asked the budget. */
  readonly queue = new Set<object>()
  /** The wait for another instance, one for all waiters. */
  following: Promise<void> | undefined
  #resolve!: (turn: Turn) => void
  #reject!: (reason: unknown) => void

  constructor(frozenMs: number | undefined) {
    this.frozenMs = frozenMs
    this.turn = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  settle(turn: Turn): void {
    this.status = 'over'
    this.#resolve(turn)
  }

  fail(reason: unknown): void {
    this.status = 'over'
    this.#reject(reason)
  }
}

/**
 * One load of a page for all requests that wait for it.
 *
 *     page in Redis? ─> done
 *     load ─> needs a turn: each waiter asks the budget
 *               ▲         ├─ a slot ─> upstream request ─┬─> done
 *               │         │                              └─> 429, or safe to retry ─┐
 *               ├─────────┼─────────────────────────────────────────────────────────┘
 *               │         └─ shared: another instance loads it ─┬─> page in Redis: done
 *               └───────────────────────────────────────────────┴─> it failed: they ask again
 *
 * A refusal, a deadline or an abort ends the wait of one waiter. The load is cancelled when the last one has
 * left.
 */
export class SharedLoad {
  /** Of the load. Its deadline is the last one of its waiters. */
  readonly context: RequestContext
  readonly #options: SharedLoadOptions
  /** How it is called in the queue of the budget. */
  #call = ''
  #names: PageNames = []
  readonly #waiters = new Map<PageWaiter, (reason: unknown) => void>()
  readonly #page: Promise<LoadedPage>
  #need: Need | undefined
  #payer: PageWaiter | undefined
  /** The last entry in Redis that did not help. */
  #seen: string | undefined
  #ageMs = 0
  #cancelLimit = (): void => {}

  constructor(options: SharedLoadOptions, first: PageWaiter, load: Load) {
    this.#options = options
    this.context = first.context.fork(first.context.remainingMs())
    this.#page = this.#run(first, load)
    // Each waiter gets the rejection itself. Without waiters it must not become an unhandled rejection.
    this.#page.catch(() => undefined)
  }

  /** Settles when the page is there or the load has failed. */
  get ended(): Promise<unknown> {
    return this.#page.catch(() => undefined)
  }

  /** The page. Rejects also if this waiter is refused or cancelled; the others do not notice. */
  async join(waiter: PageWaiter): Promise<LoadedPage> {
    const { context } = waiter
    try {
      return await new Promise((resolve, reject) => {
        this.#waiters.set(waiter, reject)
        this.context.deadlineAt = Math.max(this.context.deadlineAt, context.deadlineAt)
        untilCancelled(this.#page, context).then(resolve, reject)
        if (this.#need) this.#fillQueue(this.#need, [waiter])
      })
    } finally {
      context.stage = this.context.stage
      this.#waiters.delete(waiter)
      if (this.#waiters.size === 0) this.context.cancel('no-waiters')
    }
  }

  async #run(first: PageWaiter, load: Load): Promise<LoadedPage> {
    const { context } = this
    const { shared } = this.#options
    context.stage = 'queue'
    if (shared) {
      this.#names = await first.names()
      this.#call = this.#names[0]?.slice(0, CALL_LENGTH) ?? ''
    }
    const stored = await shared?.read(this.#names)
    this.#seen = stored?.sealed
    const maxAgeMs = Math.min(...[...this.#waiters.keys()].map((waiter) => waiter.maxAgeMs))
    if (stored?.json !== undefined && stored.ageMs < maxAgeMs)
      return { json: stored.json, ageMs: stored.ageMs, payer: undefined, wasStored: true }
    try {
      const json = await load({
        context,
        nextTurn: (frozenMs) => this.#nextTurn(frozenMs),
        share: (page) => shared?.write(this.#names, page),
      })
      return { json, ageMs: this.#payer ? 0 : this.#ageMs, payer: this.#payer, wasStored: false }
    } catch (error) {
      this.#endAttempt()
      throw error
    } finally {
      this.#cancelLimit()
    }
  }

  async #nextTurn(frozenMs: number | undefined): Promise<Turn> {
    this.#endAttempt()
    // Without other instances no call has a name twice: what is left of an earlier one cannot hold this one
    // up.
    if (!this.#options.shared) this.#call = this.#options.nextName()
    if (this.context.cancelled) throw this.context.cancelled
    const need = new Need(frozenMs)
    this.#need = need
    this.#fillQueue(need)
    return need.turn.finally(this.context.onCancel((cancelled) => need.fail(cancelled)))
  }

  /** Nothing came of the last upstream request: the instances that wait for it need not wait longer. */
  #endAttempt(): void {
    this.#cancelLimit()
    if (this.#payer) void this.#options.shared?.markFailed(this.#names)
    this.#payer = undefined
  }

  #fillQueue(need: Need, waiters: Iterable<PageWaiter> = this.#waiters.keys()): void {
    for (const waiter of waiters) {
      if (need.status !== 'open') return
      if (need.queue.has(waiter)) continue
      need.queue.add(waiter)
      void this.#queue(waiter, need).finally(() => {
        need.queue.delete(waiter)
        this.#fillQueue(need)
      })
    }
  }

  async #queue(waiter: PageWaiter, need: Need): Promise<void> {
    const { user, weight, priority, context } = waiter
    const { signal } = context
    const deadlineMs = (): number => context.remainingMs()
    try {
      const request = { user, weight, priority, deadlineMs, signal, call: this.#call }
      const slot = await this.#options.budget.acquire(request)
      if (slot === 'shared') await (need.following ??= this.#follow(need))
      else await this.#take(slot, waiter, need)
    } catch (refusal) {
      const reject = this.#waiters.get(waiter)
      // Now, so that it does not ask again.
      this.#waiters.delete(waiter)
      reject?.(afterFreeze(refusal, need.frozenMs))
    }
  }

  /**
   * The first slot is the load's. Another instance may have delivered the page while this one waited for it.
   */
  async #take(slot: Slot, payer: PageWaiter, need: Need): Promise<void> {
    if (need.status !== 'open') return slot.release('unsent')
    need.status = 'taken'
    await this.#readNew(need)
    if (need.status !== 'taken') return slot.release('unsent')
    this.#payer = payer
    const { clock, deadlineMs } = this.#options
    this.#cancelLimit = clock.after(deadlineMs, () => this.context.cancel('deadline'))
    need.settle({ slot })
  }

  /**
   * The slot went to another waiter of this instance, or to another instance, which puts the page into Redis.
   */
  async #follow(need: Need): Promise<void> {
    const { shared, clock } = this.#options
    const startedAt = clock.now()
    for (;;) {
      const pause = new Promise<void>((resolve) => void clock.after(POLL_MS, resolve, false))
      await Promise.race([pause, need.turn.catch(() => undefined)])
      if (need.status !== 'open' || !shared) break
      this.context.stage = 'upstream'
      const before = this.#seen
      await this.#readNew(need)
      if (this.#seen !== before) break
      if (clock.now() - startedAt >= FOLLOW_MS) break
    }
    need.following = undefined
  }

  /** Ends the need if Redis has a page that was not there when the load began. */
  async #readNew(need: Need): Promise<void> {
    const page = await this.#options.shared?.read(this.#names, this.#seen)
    if (!page) return
    this.#seen = page.sealed
    if (page.json === undefined) return
    this.#ageMs = page.ageMs
    need.settle({ json: page.json })
  }
}

/** No slot came after a 429: the upstream's limit is the cause, not our queue. */
function afterFreeze(refusal: unknown, frozenMs: number | undefined): unknown {
  if (frozenMs === undefined || !(refusal instanceof BudgetRefusal) || refusal.reason === 'closing')
    return refusal
  return new BffError('UPSTREAM_RATE_LIMITED', { retryAfterMs: Math.max(frozenMs, refusal.retryAfterMs) })
}

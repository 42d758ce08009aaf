import { type Budget, BudgetRefusal, type Slot, type SlotUser } from '@stagepass/budget'
import type { MeetingsWire } from '@stagepass/contract'
import { LRUCache } from 'lru-cache'
import { BffError } from '../errors/BffError.js'
import { Cancelled, untilAborted } from '../errors/Cancelled.js'
import type { Clock } from '../platform/platform.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { InFlight } from '../request/createInFlight.js'
import type { CheckedMeetings } from '../gate/readGrant.js'
import { createRetries } from '../upstream/retry.js'
import type { Credential, MeetingsOperation, Upstream } from '../upstream/Upstream.js'
import { boundWaiters } from './boundWaiters.js'
import type { Budgets } from './createBudgets.js'
import { readKey } from './readKey.js'
import { rebuild, type Shown } from './rebuild.js'

/** A question to the meetings interface, cut to the grant. */
export interface MeetingsQuestion extends Shown {
  readonly operation: MeetingsOperation
  /** Path and query under the meetings base, encoded. */
  readonly path: string
  /** Equal for equal questions. Account and credential are added here. */
  readonly canonical: readonly unknown[]
}

interface MeetingsRead extends MeetingsQuestion {
  readonly grant: CheckedMeetings
  readonly user: string
  readonly context: RequestContext
  /** The client sent `Cache-Control: no-cache`: no stored page will do, a flight will. */
  readonly noCache: boolean
}

/** Reads that needed no upstream request of their own, since the start. */
export interface SavedReads {
  /** Served by another request's upstream request. */
  readonly shared: number
  /** Served from the store. */
  readonly cached: number
}

/** All reads of the meetings interface. */
export interface Pages {
  readonly saved: SavedReads
  /** The JSON of a response, and whether its upstream request was another request's. */
  read(read: MeetingsRead): Promise<{ readonly json: string; readonly shared: boolean }>
  /** Drops all pages and cancels all flights. */
  close(): void
}

export interface PagesOptions {
  readonly upstream: Upstream
  readonly budgets: Budgets
  readonly wire: MeetingsWire
  /**
   * How long a page is fresh. Then it is stale for as long again: it is served while a revalidation runs. 0:
   * nothing is stored.
   */
  readonly cacheMs: number
  /** Time limit of a revalidation, and of an upstream request. */
  readonly deadlineMs: number
  readonly clock: Clock
  /** Gets each revalidation, which goes on after its request. */
  readonly hold: InFlight['hold']
}

/** A request, or a revalidation, that waits for a page. The budget sees it as a user who waits. */
interface Waiter extends SlotUser {
  readonly context: RequestContext
}

/** One load of a page, for all that wait for it. */
interface Flight {
  readonly key: string
  /** Its deadline is the last one of its waiters. It is cancelled when the last one has left. */
  readonly context: RequestContext
  readonly waiters: Set<Waiter>
  readonly page: Promise<string>
}

/** Pages that are kept, and their length in UTF-16 units. */
const MAX_PAGES = 1_000
const MAX_LENGTH = 16_777_216

/**
 *     page fresh? ─> served
 *     page stale? ─> served, and revalidated in the background, after the requests of all users
 *     a flight to it under way? ─> joined
 *     else ─> a flight, which later requests join:
 *
 *         a slot of the budget ─> upstream request ─┬─> rebuilt, stored, served to all that wait
 *           ▲                                       │
 *           └────── the first 429, or safe to retry ┘
 *
 * A flight stands in the queue where the best placed of its waiters would stand alone. A deadline or an abort
 * ends the wait of one waiter. Errors are not stored. Pages stay in the memory of this process, because of
 * what a meeting contains.
 */
export function createPages(options: PagesOptions): Pages {
  const { upstream, budgets, wire, cacheMs, deadlineMs, clock, hold } = options
  const pages = new LRUCache<string, string>({
    max: MAX_PAGES,
    maxSize: MAX_LENGTH,
    sizeCalculation: (json) => Math.max(1, json.length),
    // The last millisecond is one in which it is still served.
    ttl: Math.max(1, 2 * cacheMs - 1),
    ttlResolution: 0,
    perf: clock,
  })
  const flights = new Map<string, Flight>()
  const bound = boundWaiters(clock)
  const saved = { shared: 0, cached: 0 }
  let cancelSweep: (() => void) | undefined

  const store = (key: string, json: string): void => {
    if (cacheMs === 0) return
    pages.set(key, json)
    sweepLater()
  }

  /** Removes old pages also if no further request comes. */
  const sweepLater = (): void => {
    cancelSweep ??= clock.after(
      2 * cacheMs,
      () => {
        cancelSweep = undefined
        pages.purgeStale()
        if (pages.size > 0) sweepLater()
      },
      false,
    )
  }

  const load = async (
    flight: Omit<Flight, 'page'>,
    read: MeetingsRead,
    credential: Credential,
  ): Promise<string> => {
    const { key, context, waiters } = flight
    const { operation, path, grant } = read
    const budget = budgets.of(grant.account)
    const retries = createRetries(context, operation)
    let frozenMs: number | undefined
    for (;;) {
      try {
        const slot = await waitForSlot(budget, waiters, context, frozenMs)
        const cancelLimit = clock.after(deadlineMs, () => context.cancel('deadline'))
        const answer = await credential.get({ operation, path, context, slot }).finally(cancelLimit)
        if ('body' in answer) {
          const json = toJson(rebuild(answer.body, read, wire))
          store(key, json)
          return json
        }
        budget.rateLimited(answer.retryAfterMs, slot)
        if (frozenMs !== undefined) throw answer.error
        // The budget is frozen now: the next slot comes after that.
        frozenMs = answer.retryAfterMs ?? budget.gauge().frozenMs
      } catch (thrown) {
        await retries.waitAfter(thrown)
      }
    }
  }

  const waitForSlot = async (
    budget: Budget,
    waiters: ReadonlySet<Waiter>,
    context: RequestContext,
    frozenMs: number | undefined,
  ): Promise<Slot> => {
    context.stage = 'queue'
    const wait = context.span?.begin('budget')
    try {
      const { signal } = context
      return await budget.acquire({ user: () => waiters, deadlineMs: () => context.remainingMs(), signal })
    } catch (refusal) {
      throw afterFreeze(refusal, frozenMs)
    } finally {
      wait?.end({})
    }
  }

  const start = (read: MeetingsRead, credential: Credential, key: string, waiter: Waiter): Flight => {
    const context = waiter.context.fork(waiter.context.remainingMs())
    const parts = { key, context, waiters: new Set([waiter]) }
    const page = load(parts, read, credential).finally(() => {
      if (flights.get(key) === flight) flights.delete(key)
    })
    const flight = { ...parts, page }
    flights.set(key, flight)
    // Each waiter gets the rejection itself. Without waiters it must not become an unhandled rejection.
    page.catch(() => undefined)
    return flight
  }

  /** The page of a flight. Rejects also if this waiter is cancelled; the others do not notice. */
  const join = async (flight: Flight, waiter: Waiter): Promise<string> => {
    const { context: work, waiters, page } = flight
    const { context } = waiter
    waiters.add(waiter)
    work.deadlineAt = Math.max(work.deadlineAt, context.deadlineAt)
    try {
      return await untilAborted(page, context.signal)
    } finally {
      context.stage = work.stage
      waiters.delete(waiter)
      if (waiters.size === 0 && flights.get(flight.key) === flight) work.cancel('no-waiters')
    }
  }

  const fly = async (
    read: MeetingsRead,
    credential: Credential,
    key: string,
    waiter: Waiter,
  ): Promise<{ json: string; shared: boolean }> => {
    for (;;) {
      const running = flights.get(key)
      // A new waiter must not join a flight that is being cancelled.
      const shared = running?.context.cancelled ? undefined : running
      try {
        return { json: await join(shared ?? start(read, credential, key, waiter), waiter), shared: !!shared }
      } catch (thrown) {
        // The upstream request took too long for those who were there first. This waiter has time left.
        if (!(thrown instanceof Cancelled) || waiter.context.cancelled) throw thrown
      }
    }
  }

  const revalidate = async (read: MeetingsRead, credential: Credential, key: string): Promise<void> => {
    const context = read.context.fork(deadlineMs)
    const cancelDeadline = clock.after(deadlineMs, () => context.cancel('deadline'), false)
    const waiter: Waiter = { user: read.user, weight: read.grant.weight, priority: 'background', context }
    try {
      await join(start(read, credential, key, waiter), waiter)
    } catch {
      // A failure has no effect: the stale page is served until it is too old.
    } finally {
      cancelDeadline()
    }
  }

  const readWith = async (read: MeetingsRead, credential: Credential) => {
    const { operation, grant, user, context, noCache, canonical } = read
    const key = readKey({ account: grant.account, operation, credential: credential.id, canonical })
    const page = noCache ? undefined : pages.get(key)
    if (page !== undefined) {
      saved.cached += 1
      const isStale = pages.getRemainingTTL(key) < cacheMs
      if (isStale && !flights.has(key)) void hold(revalidate(read, credential, key))
      return { json: page, shared: true }
    }
    bound.enter(key)
    try {
      const served = await fly(read, credential, key, { user, weight: grant.weight, context })
      if (served.shared) saved.shared += 1
      return served
    } finally {
      await bound.leave(key)
    }
  }

  return {
    get saved() {
      return { ...saved }
    },
    async read(read) {
      const { grant, user, context } = read
      const credential = await upstream.openCredential(grant.credential, user, context)
      try {
        return await readWith(read, credential)
      } catch (error) {
        if (!(error instanceof BffError && error.code === 'MEETINGS_CREDENTIAL_REJECTED')) throw error
        // Each caller renews its own credential: callers with equal credentials may get different ones.
        const renewed = await credential.renew(context)
        if (!renewed) throw error
        return readWith(read, renewed)
      }
    },
    close() {
      for (const { context } of flights.values()) context.cancel('shutdown')
      cancelSweep?.()
      pages.clear()
    },
  }
}

/** No slot came after a 429: the upstream's limit is the cause, not our queue. */
function afterFreeze(refusal: unknown, frozenMs: number | undefined): unknown {
  if (frozenMs === undefined || !(refusal instanceof BudgetRefusal) || refusal.reason === 'closing')
    return refusal
  return new BffError('UPSTREAM_RATE_LIMITED', { retryAfterMs: Math.max(frozenMs, refusal.retryAfterMs) })
}

function toJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    // It is nested too deeply for the stack.
    throw new BffError('UPSTREAM_MALFORMED', { cause })
  }
}

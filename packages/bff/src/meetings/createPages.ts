import type { SlotUser } from '@stagepass/budget'
import { LRUCache } from 'lru-cache/raw'
import type { Account } from '../accounts/Account.js'
import { withSecret } from '../accounts/withSecret.js'
import { BffError } from '../base/BffError.js'
import { Cancelled } from '../request/Cancelled.js'
import { untilAborted } from '../request/untilAborted.js'
import type { EmitEvent } from '../telemetry/events.js'
import type { BffGauge } from '../telemetry/Telemetry.js'
import type { CheckedMeetings } from '../grant/readGrant.js'
import type { InFlight } from '../request/createInFlight.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { Settings } from '../settings/readOptions.js'
import type { MeetingsOperation, Upstream } from '../upstream/createUpstream.js'
import { boundWaiters } from './boundWaiters.js'
import { readKey } from './readKey.js'
import { rebuild, type Shown } from './rebuild.js'
import { reportUnreadable } from './reportUnreadable.js'
import { sendInBudget } from './sendInBudget.js'

/** A read of the meetings interface, limited to the grant. */
export interface MeetingsQuestion extends Shown {
  readonly operation: MeetingsOperation
  /** Path and query under the meetings base, encoded. */
  readonly path: string
  /** Equal for equal reads. `createPages` adds the account and the credential. */
  readonly canonical: readonly unknown[]
}

interface MeetingsRead extends MeetingsQuestion {
  readonly grant: CheckedMeetings
  readonly account: Account
  /** Equal for equal users. */
  readonly user: string
  readonly context: RequestContext
  /** The client sent `Cache-Control: no-cache`: do not use a stored page. Joining a flight is allowed. */
  readonly noCache: boolean
}

/** The JSON of a response. `shared`: it had no upstream request of its own. */
export interface Page {
  readonly json: string
  readonly shared: boolean
}

/** A request or a revalidation that waits for a page. For the budget it is a waiting user. */
interface Waiter extends SlotUser {
  readonly context: RequestContext
}

/** One load of a page, shared by all waiters. */
interface Flight {
  readonly account: string | undefined
  /** Its deadline is the latest deadline of its waiters. It is cancelled when the last waiter has left. */
  readonly context: RequestContext
  readonly waiters: Set<Waiter>
  readonly page: Promise<string>
}

export type Pages = ReturnType<typeof createPages>

/**
 * UTF-16 units of all stored pages, and of those of one account, which cannot displace the pages of all
 * others. (security.md, S65.)
 */
const MAX_STORED = { ofAccount: 8_388_608, ofAll: 16_777_216 }

/** A short page counts as so many units, so that at most 1,000 pages are stored. */
const MIN_LENGTH = Math.ceil(MAX_STORED.ofAll / 1_000)

interface StoredPage {
  readonly json: string
  readonly account: string | undefined
}

const lengthOf = ({ json }: StoredPage): number => Math.max(MIN_LENGTH, json.length)

/**
 * All reads of the meetings interface.
 *
 *     page fresh? ─> served
 *     page stale? ─> served, and revalidated in the background, after the requests of all users
 *     a flight for it in progress? ─> joined
 *     else ─> a new flight, which later requests join:
 *
 *         a slot of the budget ─> upstream request ─┬─> rebuilt, stored, served to all waiters
 *           ▲                                       │
 *           └────── the first 429, or safe to retry ┘
 *
 * A page is fresh for `cacheMs`, then stale for the same time. A flight has the best place in the queue that
 * one of its waiters would have alone. A deadline or an abort ends the wait of one waiter only. Errors are
 * not stored. Pages are stored only in the memory of this process, because meetings are private.
 */
export function createPages(settings: Settings, upstream: Upstream, hold: InFlight['hold'], emit: EmitEvent) {
  const { deadlineMs, platform, meetings } = settings
  const { clock } = platform
  const { wire, cacheMs } = meetings
  /** Units that each account has stored. */
  const stored = new Map<string | undefined, number>()
  const count = (account: string | undefined, units: number): void => {
    const sum = (stored.get(account) ?? 0) + units
    if (sum > 0) stored.set(account, sum)
    else stored.delete(account)
  }
  const pages = new LRUCache<string, StoredPage>({
    maxSize: MAX_STORED.ofAll,
    sizeCalculation: lengthOf,
    dispose: (page) => count(page.account, -lengthOf(page)),
    // A page is still served in its last millisecond.
    ttl: Math.max(1, 2 * cacheMs - 1),
    ttlResolution: 0,
    // Deletes old pages even without further requests.
    ttlAutopurge: true,
    perf: clock,
  })
  const flights = new Map<string, Flight>()
  const bound = boundWaiters()
  const saved = { shared: 0, cached: 0 }
  const report = reportUnreadable(clock, emit)

  /** Beyond the share of its account a page is not stored until an older one has expired. */
  const store = (key: string, page: StoredPage): void => {
    pages.delete(key)
    const length = lengthOf(page)
    if ((stored.get(page.account) ?? 0) + length > MAX_STORED.ofAccount) return
    count(page.account, length)
    pages.set(key, page)
  }

  const load = async (
    read: MeetingsRead,
    credential: string,
    context: RequestContext,
    waiters: ReadonlySet<Waiter>,
  ): Promise<string> => {
    const { operation, path, account } = read
    const body = await sendInBudget(
      { upstream, deadlineMs },
      { operation, path },
      credential,
      { account, context },
      waiters,
    )
    const { body: rebuilt, unreadable } = rebuild(body, read, wire)
    report(unreadable, account.name)
    return toJson(rebuilt)
  }

  const startFlight = (read: MeetingsRead, credential: string, key: string, waiter: Waiter): Flight => {
    const context = waiter.context.fork(waiter.context.remainingMs())
    const waiters = new Set([waiter])
    const page = load(read, credential, context, waiters)
      .then((json) => {
        if (cacheMs > 0) store(key, { json, account: read.account.name })
        return json
      })
      .finally(() => {
        if (flights.get(key) === flight) flights.delete(key)
      })
    const flight = { account: read.account.name, context, waiters, page }
    flights.set(key, flight)
    // Each waiter gets the rejection itself. If all waiters have left, it must not be reported as unhandled.
    page.catch(() => undefined)
    return flight
  }

  /** Waits for the page of a flight. Rejects if this waiter is cancelled, without an effect on the others. */
  const waitFor = async ({ context: work, waiters, page }: Flight, waiter: Waiter): Promise<string> => {
    const { context } = waiter
    waiters.add(waiter)
    work.deadlineAt = Math.max(work.deadlineAt, context.deadlineAt)
    try {
      return await untilAborted(page, context.signal)
    } finally {
      context.stage = work.stage
      waiters.delete(waiter)
      // The last waiter has left. If the flight has ended, this does nothing.
      if (waiters.size === 0) work.cancel('no-waiters')
    }
  }

  const loadShared = async (
    read: MeetingsRead,
    credential: string,
    key: string,
    waiter: Waiter,
  ): Promise<Page> => {
    for (;;) {
      const running = flights.get(key)
      // A new waiter must not join a flight that is being cancelled.
      const shared = running !== undefined && !running.context.cancelled
      try {
        return {
          json: await waitFor(shared ? running : startFlight(read, credential, key, waiter), waiter),
          shared,
        }
      } catch (thrown) {
        // The flight reached the deadline of its first waiters, or they have left. This waiter has time left, so
        // try again. Nothing is asked again for an account that was forgotten, or in a shutdown.
        const isOver = thrown instanceof Cancelled && ['deadline', 'no-waiters'].includes(thrown.reason)
        if (!isOver || waiter.context.cancelled) throw thrown
      }
    }
  }

  const readWithCredential = async (read: MeetingsRead, credential: string): Promise<Page> => {
    const { operation, grant, account, user, context, noCache, canonical } = read
    const number = account.numberOf(credential)
    const key = readKey({ account: account.name, operation, credential: number, canonical })
    const waiter = { user, weight: grant.weight, context }
    const json = noCache ? undefined : pages.get(key)?.json
    if (json !== undefined) {
      saved.cached += 1
      if (pages.getRemainingTTL(key) < cacheMs && !flights.has(key)) {
        const revalidation = { ...waiter, priority: 'background', context: context.fork(deadlineMs) } as const
        // A failure has no effect. The stale page is served until it is too old.
        hold(loadShared(read, credential, key, revalidation)).catch(() => undefined)
      }
      return { json, shared: true }
    }
    bound.enter(account, flights.get(key)?.waiters.size ?? 0)
    try {
      const page = await loadShared(read, credential, key, waiter)
      if (page.shared) saved.shared += 1
      return page
    } finally {
      await bound.leave(account)
    }
  }

  return {
    get saved(): BffGauge['saved'] {
      return { ...saved }
    },
    read(read: MeetingsRead): Promise<Page> {
      const { grant, account, user, context } = read
      // Each caller renews its own credential. Callers with equal credentials may get different new ones.
      const secret = account.credentialOf(grant.credential, user)
      return withSecret(secret, context, (credential) => readWithCredential(read, credential))
    },
    /** Drops the pages of an account, and cancels its flights. */
    drop(account: string): void {
      for (const { context, account: of } of flights.values()) if (of === account) context.cancel('forgotten')
      for (const [key, page] of pages.entries()) if (page.account === account) pages.delete(key)
    },
    /** Drops all pages and cancels all flights. */
    close(): void {
      for (const { context } of flights.values()) context.cancel('shutdown')
      pages.clear()
    },
  }
}

function toJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    // It is nested too deeply for the stack.
    throw new BffError('UPSTREAM_MALFORMED', {
      cause,
      seen: { cause: 'large', more: 'levels than can be written' },
    })
  }
}

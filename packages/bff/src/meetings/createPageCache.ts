import type { SlotRequest } from '../budget/Budget.js'
import type { Clock } from '../budget/core/Clock.js'
import { CallEnded, untilEnded } from '../context/Cancellation.js'
import { Call } from '../context/RequestContext.js'
import { createCacheStore } from './createPageStore.js'
import { createSingleFlight, type Flight } from './createSingleFlight.js'

export interface SharedRead {
  /** Who may share: an HMAC over credential, effective ownership and fields, and canonical query. */
  readonly key: string
  readonly call: Call
  /** The client asked for `Cache-Control: no-cache`: an answer from before will not do, a call in flight will. */
  readonly fresh: boolean
}

/** Under what a read is made: for the users who wait, or to freshen what has been served already. */
export interface ReadWork {
  readonly call: Call
  readonly priority: NonNullable<SlotRequest['priority']>
}

/** Reads that cost no upstream call of their own, since the start. */
export interface SavedReads {
  /** Another request's call in flight served. */
  readonly shared: number
  /** A page read before served. */
  readonly cached: number
}

type Load = (work: ReadWork) => Promise<string>

/** All reading of the meetings interface goes through here: what can be shared is asked for once. */
export interface SharedReads {
  readonly saved: SavedReads
  read(request: SharedRead, load: Load): Promise<Flight<string>>
  /** Forgets all pages and gives up refreshes. */
  close(): void
}

export interface SharedReadsOptions {
  /** How long a page is served again without a call. For as long again it is served while a call freshens it. 0: never. */
  readonly cacheMs: number
  /** How long a refresh may take. */
  readonly deadlineMs: number
  readonly clock: Clock
}

interface Refresh {
  readonly call: Call
  readonly promise: Promise<string>
}

/**
 *     page fresh? ─> served
 *     page stale? ─> served, and refreshed in the background, behind every user's own request
 *     a refresh of it already at the upstream? ─> joined
 *     a call for it in flight? ─> joined
 *     else ─> a call, which the next ones join; a refresh that still waits in line gives way to it
 *
 * Failures are kept nowhere.
 */
export function createSharedReads({ cacheMs, deadlineMs, clock }: SharedReadsOptions): SharedReads {
  const flights = createSingleFlight<string>()
  const refreshes = new Map<string, Refresh>()
  const pages = cacheMs > 0 ? createCacheStore({ freshMs: cacheMs, clock }) : undefined
  const saved = { shared: 0, cached: 0 }

  const loadAndKeep = async (key: string, load: Load, work: ReadWork): Promise<string> => {
    const askedAt = clock.now()
    const value = await load(work)
    if (!work.call.ended) pages?.set(key, value, askedAt)
    return value
  }

  const refresh = (key: string, requestId: string, load: Load): void => {
    if (refreshes.has(key)) return
    const startedAt = clock.now()
    const call = new Call(requestId, () => deadlineMs - (clock.now() - startedAt))
    const cancelDeadline = clock.after(deadlineMs, () => call.end(new CallEnded('deadline')), false)
    const promise = loadAndKeep(key, load, { call, priority: 'background' }).finally(() => {
      cancelDeadline()
      refreshes.delete(key)
    })
    refreshes.set(key, { call, promise })
    // Nobody waits for it: the page that was served stays until it is too old.
    promise.catch(() => undefined)
  }

  const join = async (request: SharedRead, load: Load): Promise<Flight<string>> => {
    const { key, call } = request
    const running = refreshes.get(key)
    if (running?.call.stage === 'upstream' && !running.call.ended) {
      call.stage = 'upstream'
      return { value: await untilEnded(running.promise, call), shared: true }
    }
    running?.call.end(new CallEnded('nobody-waits'))
    return flights.join(key, call, (own) => loadAndKeep(key, load, { call: own, priority: 'user' }))
  }

  return {
    get saved() {
      return { ...saved }
    },
    async read(request, load) {
      const page = request.fresh ? undefined : pages?.get(request.key)
      if (page !== undefined) {
        saved.cached += 1
        if (page.stale) refresh(request.key, request.call.id, load)
        return { value: page.value, shared: true }
      }
      const flight = await join(request, load)
      if (flight.shared) saved.shared += 1
      return flight
    },
    close() {
      for (const { call } of refreshes.values()) call.end(new CallEnded('shutdown'))
      pages?.clear()
    },
  }
}

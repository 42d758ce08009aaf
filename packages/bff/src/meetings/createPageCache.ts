import type { SlotRequest } from '@stagepass/budget'
import type { Clock } from '../context/platform.js'
import { untilCancelled } from '../context/Cancellation.js'
import type { RequestContext } from '../context/RequestContext.js'
import { createPageStore } from './createPageStore.js'
import { createSingleFlight, type SharedResult } from './createSingleFlight.js'

export interface PageRequest {
  /** Equal for requests that may share: an HMAC over credential, effective ownership and fields, and canonical query. */
  readonly key: string
  readonly context: RequestContext
  /** The client sent `Cache-Control: no-cache`: no stored page will do, a load in flight will. */
  readonly noCache: boolean
}

/** How a page is loaded: for the users who wait for it, or in the background to replace a stale one. */
export interface LoadContext {
  readonly context: RequestContext
  readonly priority: NonNullable<SlotRequest['priority']>
}

/** Reads that needed no upstream request of their own, since the start. */
export interface SavedReads {
  /** Served by another request's upstream request. */
  readonly shared: number
  /** Served from the store. */
  readonly cached: number
}

type Load = (load: LoadContext) => Promise<string>

/** All reads of the meetings interface go through this cache. */
export interface PageCache {
  readonly saved: SavedReads
  read(request: PageRequest, load: Load): Promise<SharedResult<string>>
  /** Drops all pages and cancels revalidations. */
  close(): void
}

export interface PageCacheOptions {
  /** How long a page is fresh. Then it is stale for as long again: it is served while a revalidation runs. 0: nothing is stored. */
  readonly cacheMs: number
  /** Time limit of a revalidation. */
  readonly deadlineMs: number
  readonly clock: Clock
}

interface Revalidation {
  readonly context: RequestContext
  readonly promise: Promise<string>
}

/**
 *     page fresh? ─> served
 *     page stale? ─> served, and revalidated in the background, after the requests of all users
 *     a revalidation of it at the upstream? ─> joined
 *     a load of it in flight? ─> joined
 *     else ─> a load, which later requests join; a revalidation that still waits for a slot is cancelled
 *
 * Errors are not stored.
 */
export function createPageCache({ cacheMs, deadlineMs, clock }: PageCacheOptions): PageCache {
  const joinFlight = createSingleFlight<string>()
  const revalidations = new Map<string, Revalidation>()
  const pages = cacheMs > 0 ? createPageStore({ freshMs: cacheMs, clock }) : undefined
  const saved = { shared: 0, cached: 0 }

  const loadAndStore = async (key: string, load: Load, options: LoadContext): Promise<string> => {
    const requestedAt = clock.now()
    const value = await load(options)
    if (!options.context.cancelled) pages?.set(key, value, requestedAt)
    return value
  }

  const revalidate = (key: string, request: RequestContext, load: Load): void => {
    if (revalidations.has(key)) return
    const context = request.fork(deadlineMs)
    const cancelDeadline = clock.after(deadlineMs, () => context.cancel('deadline'), false)
    const promise = loadAndStore(key, load, { context, priority: 'background' }).finally(() => {
      cancelDeadline()
      revalidations.delete(key)
    })
    revalidations.set(key, { context, promise })
    // A failure has no effect: the stale page is served until it is too old.
    promise.catch(() => undefined)
  }

  const join = async ({ key, context }: PageRequest, load: Load): Promise<SharedResult<string>> => {
    const running = revalidations.get(key)
    if (running?.context.stage === 'upstream' && !running.context.cancelled) {
      context.stage = 'upstream'
      return { value: await untilCancelled(running.promise, context), shared: true }
    }
    running?.context.cancel('no-waiters')
    return joinFlight(key, context, (own) => loadAndStore(key, load, { context: own, priority: 'user' }))
  }

  return {
    get saved() {
      return { ...saved }
    },
    async read(request, load) {
      const page = request.noCache ? undefined : pages?.get(request.key)
      if (page !== undefined) {
        saved.cached += 1
        if (page.stale) revalidate(request.key, request.context, load)
        return { value: page.value, shared: true }
      }
      const result = await join(request, load)
      if (result.shared) saved.shared += 1
      return result
    },
    close() {
      for (const { context } of revalidations.values()) context.cancel('shutdown')
      pages?.clear()
    },
  }
}

import type { Budget } from '@stagepass/budget'
import type { Clock } from '../context/platform.js'
import type { RequestContext } from '../context/RequestContext.js'
import { createPageStore } from './createPageStore.js'
import type { SharedPages } from './createSharedPages.js'
import { createSingleFlight } from './createSingleFlight.js'
import { createWaiterLimit } from './limitWaiters.js'
import type { Load, LoadedPage, PageWaiter } from './SharedLoad.js'

interface PageRequest extends Pick<PageWaiter, 'key' | 'names' | 'context' | 'user' | 'weight'> {
  /** The client sent `Cache-Control: no-cache`: no stored page will do, a load in flight will. */
  readonly noCache: boolean
}

/** Reads that needed no upstream request of their own, since the start. */
export interface SavedReads {
  /** Served by another request's upstream request. */
  readonly shared: number
  /** Served from the store. */
  readonly cached: number
}

/** All reads of the meetings interface go through this cache. */
export interface PageCache {
  readonly saved: SavedReads
  read(request: PageRequest, load: Load): Promise<{ readonly json: string; readonly shared: boolean }>
  /** Drops all pages and cancels revalidations. */
  close(): void
}

export interface PageCacheOptions {
  /**
   * How long a page is fresh. Then it is stale for as long again: it is served while a revalidation runs. 0:
   * nothing is stored.
   */
  readonly cacheMs: number
  /** Time limit of a revalidation. */
  readonly deadlineMs: number
  readonly clock: Clock
  readonly budget: Budget
  /** Pages of all instances, or `undefined`. */
  readonly shared: SharedPages | undefined
  /** Gets each revalidation, which goes on after its request. */
  readonly hold: (work: Promise<unknown>) => unknown
}

/**
 *     page fresh? ─> served
 *     page stale? ─> served, and revalidated in the background, after the requests of all users
 *     a load of it in flight? ─> joined
 *     else ─> a load, which later requests join
 *
 * Errors are not stored.
 */
export function createPageCache(options: PageCacheOptions): PageCache {
  const { cacheMs, deadlineMs, clock, hold } = options
  const joinFlight = createSingleFlight(options)
  const limitWaiters = createWaiterLimit(clock)
  const revalidations = new Map<string, RequestContext>()
  const pages = createPageStore({ freshMs: cacheMs, clock })
  const saved = { shared: 0, cached: 0 }

  const join = async (waiter: PageWaiter, load: Load): Promise<LoadedPage> => {
    const page = await limitWaiters(waiter.key, () => joinFlight(waiter, load))
    pages.set(waiter.key, page.json, page.ageMs)
    return page
  }

  const revalidate = ({ key, names, context: request, user, weight }: PageRequest, load: Load): void => {
    if (revalidations.has(key)) return
    const context = request.fork(deadlineMs)
    const cancelDeadline = clock.after(deadlineMs, () => context.cancel('deadline'), false)
    revalidations.set(key, context)
    const waiter: PageWaiter = {
      key,
      names,
      context,
      user,
      weight,
      priority: 'background',
      maxAgeMs: cacheMs,
    }
    hold(
      join(waiter, load)
        // A failure has no effect: the stale page is served until it is too old.
        .catch(() => undefined)
        .finally(() => {
          cancelDeadline()
          revalidations.delete(key)
        }),
    )
  }

  return {
    get saved() {
      return { ...saved }
    },
    async read(request, load) {
      const { key, names, context, user, weight, noCache } = request
      const page = noCache ? undefined : pages.get(key)
      if (page !== undefined) {
        saved.cached += 1
        if (page.stale) revalidate(request, load)
        return { json: page.value, shared: true }
      }
      const maxAgeMs = noCache ? 0 : 2 * cacheMs
      const waiter: PageWaiter = { key, names, context, user, weight, priority: 'user', maxAgeMs }
      const { json, ageMs, payer, wasStored } = await join(waiter, load)
      if (wasStored) saved.cached += 1
      else if (payer !== waiter) saved.shared += 1
      if (wasStored && ageMs >= cacheMs) revalidate(request, load)
      return { json, shared: payer !== waiter }
    },
    close() {
      for (const context of revalidations.values()) context.cancel('shutdown')
      pages.clear()
    },
  }
}

import type { Clock } from '../budget/core/Clock.js'

export interface CachedPage {
  readonly value: string
  /** Good enough to serve, old enough to be freshened. */
  readonly stale: boolean
}

/** Pages that were read lately, in this process's memory alone: what a meeting holds goes nowhere else. */
export interface CacheStore {
  get(key: string): CachedPage | undefined
  /** `askedAt`: an answer to a later question is not overwritten by one to an earlier. */
  set(key: string, value: string, askedAt: number): void
  clear(): void
}

export interface CacheStoreOptions {
  /** How long a page is fresh. For as long again it is stale, and then it is gone. */
  readonly freshMs: number
  readonly clock: Clock
  /** Default 1,000 pages. */
  readonly maxPages?: number | undefined
  /** In UTF-16 units of all pages together. Default 16 Mi. */
  readonly maxLength?: number | undefined
}

interface Page {
  readonly value: string
  readonly askedAt: number
  readonly storedAt: number
}

export function createCacheStore(options: CacheStoreOptions): CacheStore {
  const { freshMs, clock, maxPages = 1_000, maxLength = 16_777_216 } = options
  const keepMs = 2 * freshMs
  /** The one stored first comes first. */
  const pages = new Map<string, Page>()
  let length = 0
  let cancelSweep: (() => void) | undefined

  const remove = (key: string): void => {
    length -= pages.get(key)?.value.length ?? 0
    pages.delete(key)
  }

  const removeOld = (): void => {
    for (const [key, page] of pages) {
      const isOld = clock.now() - page.storedAt >= keepMs
      if (!isOld && pages.size <= maxPages && length <= maxLength) break
      remove(key)
    }
  }

  /** Pages do not outlive their use in the memory of a process that nobody asks any more. */
  const scheduleSweep = (): void => {
    cancelSweep ??= clock.after(
      keepMs,
      () => {
        cancelSweep = undefined
        removeOld()
        if (pages.size > 0) scheduleSweep()
      },
      false,
    )
  }

  return {
    get(key) {
      const page = pages.get(key)
      if (page === undefined) return undefined
      const ageMs = clock.now() - page.storedAt
      return ageMs < keepMs ? { value: page.value, stale: ageMs >= freshMs } : undefined
    },
    set(key, value, askedAt) {
      if ((pages.get(key)?.askedAt ?? -Infinity) > askedAt) return
      remove(key)
      pages.set(key, { value, askedAt, storedAt: clock.now() })
      length += value.length
      removeOld()
      scheduleSweep()
    },
    clear() {
      cancelSweep?.()
      cancelSweep = undefined
      pages.clear()
      length = 0
    },
  }
}

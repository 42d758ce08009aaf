import type { Clock } from '../context/platform.js'

interface PageStoreOptions {
  /**
   * How long a page is fresh. Then it is stale for as long again, and then it is removed. 0: none is kept.
   */
  readonly freshMs: number
  readonly clock: Clock
  /** Default 1,000 pages. */
  readonly maxPages?: number | undefined
  /** In UTF-16 units of all pages together. Default 16 Mi. */
  readonly maxLength?: number | undefined
}

interface Page {
  readonly value: string
  readonly storedAt: number
}

/**
 * Pages that were read lately. They are in the memory of this process only, because of what a meeting
 * contains.
 */
export function createPageStore(options: PageStoreOptions) {
  const { freshMs, clock, maxPages = 1_000, maxLength = 16_777_216 } = options
  const keepMs = 2 * freshMs
  /** In the order in which they were stored. */
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

  /** Removes old pages also if no further request comes. */
  const scheduleSweep = (): void => {
    if (pages.size === 0) return
    cancelSweep ??= clock.after(
      keepMs,
      () => {
        cancelSweep = undefined
        removeOld()
        scheduleSweep()
      },
      false,
    )
  }

  return {
    /** A `stale` page may be served, and must be revalidated. */
    get(key: string) {
      const page = pages.get(key)
      if (page === undefined) return undefined
      const ageMs = clock.now() - page.storedAt
      return ageMs < keepMs ? { value: page.value, stale: ageMs >= freshMs } : undefined
    },
    /** `ageMs`: another instance has had it for so long. */
    set(key: string, value: string, ageMs: number): void {
      remove(key)
      pages.set(key, { value, storedAt: clock.now() - ageMs })
      length += value.length
      removeOld()
      scheduleSweep()
    },
    clear(): void {
      cancelSweep?.()
      cancelSweep = undefined
      pages.clear()
      length = 0
    },
  }
}

'use client'

import { useEffect, useState } from 'react'
import type { UseMeetingsResult } from './useMeetings.js'

/** The result of `useEndless`. */
export interface UseEndlessResult {
  /** The `ref` of an element at the end of the list. It may be the button itself. */
  readonly endRef: (end: Element | null) => void
  /**
   * For the button at the end: loads the next page, also after a failure. After a final failure of a next
   * page it fetches the loaded pages again, because the same request would fail again.
   */
  readonly loadMore: () => void
  /**
   * Index of the row that takes the focus when it appears: the first one that a press of the button has
   * loaded. -1: none. Give that row `autoFocus`, because the button may be gone.
   */
  readonly focusAt: number
}

/**
 * With this many rows only `loadMore` loads more. Otherwise a keyboard user could never leave a list that
 * grows whenever its end is near.
 */
const MOST_ROWS = 100
/** After this many pages without a new row only `loadMore` loads more. */
const MOST_EMPTY_PAGES = 3
const NONE_TRIED = { rows: -1, pages: 0 }

/**
 * Loads the next page of a list when its end is near the view. It loads nothing after a failure, with 100
 * rows, after three pages without a new row, and in a browser without IntersectionObserver: for these cases
 * show a button that calls `loadMore`.
 *
 * @example
 * const list = useMeetings()
 * const { endRef, loadMore } = useEndless(list)
 * return <>…{list.hasNextPage && <button ref={endRef} onClick={loadMore}>Load more</button>}</>
 */
export function useEndless(list: UseMeetingsResult<unknown>): UseEndlessResult {
  const [end, setEnd] = useState<Element | null>(null)
  const [focusAt, setFocusAt] = useState(-1)
  /** The pages that were loaded automatically while the list had so many rows. */
  const [tried, setTried] = useState(NONE_TRIED)
  const { meetings, hasNextPage, isFetching, isPaused, isPlaceholderData, isError, fetchNextPage } = list
  const rows = meetings.length
  const isWanted =
    hasNextPage && !isFetching && !isPaused && !isPlaceholderData && !isError && rows < MOST_ROWS
  // The rows are those of other filters now.
  if (focusAt >= 0 && (isPlaceholderData || rows < focusAt)) setFocusAt(-1)
  if (isPlaceholderData && tried !== NONE_TRIED) setTried(NONE_TRIED)

  useEffect(() => {
    if (!end || !isWanted || typeof IntersectionObserver === 'undefined') return undefined
    const pages = tried.rows === rows ? tried.pages : 0
    if (pages === MOST_EMPTY_PAGES) return undefined
    // An observer reports its element at once, so if a page does not fill the view, the next one is loaded.
    const observer = new IntersectionObserver(
      // A busy browser reports several changes at once; only the last one is true.
      (changes) => {
        if (!changes.at(-1)?.isIntersecting) return
        // A new count makes a new observer. `isFetching` may not: a fast page ends before the next render.
        void fetchNextPage().then(() => setTried({ rows, pages: pages + 1 }))
      },
      { rootMargin: '240px' },
    )
    observer.observe(end)
    return () => observer.disconnect()
  }, [end, isWanted, rows, tried, fetchNextPage])

  return {
    endRef: setEnd,
    loadMore() {
      setFocusAt(meetings.length)
      void (isError && !list.error.retryable && meetings.length > 0 ? list.refetch() : fetchNextPage())
    },
    focusAt,
  }
}

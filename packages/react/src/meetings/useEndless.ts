'use client'

import { useEffect, useRef, useState } from 'react'
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
  const { meetings, hasNextPage, isFetching, isPlaceholderData, isError, fetchNextPage } = list
  const isWanted = hasNextPage && !isFetching && !isPlaceholderData && !isError && meetings.length < MOST_ROWS
  // The rows are those of other filters now.
  if (focusAt >= 0 && (isPlaceholderData || meetings.length < focusAt)) setFocusAt(-1)

  /** The pages that were requested automatically while the list had so many rows. */
  const tried = useRef({ rows: -1, pages: 0 })
  const rows = meetings.length
  useEffect(() => {
    if (isPlaceholderData) tried.current.rows = -1
    if (!end || !isWanted || typeof IntersectionObserver === 'undefined') return undefined
    // An observer reports its element at once, so if a page does not fill the view, the next one is loaded.
    const observer = new IntersectionObserver(
      // A busy browser reports several changes at once; only the last one is true.
      (changes) => {
        if (!changes.at(-1)?.isIntersecting) return
        if (tried.current.rows !== rows) tried.current = { rows, pages: 0 }
        if (tried.current.pages === MOST_EMPTY_PAGES) return
        tried.current.pages += 1
        void fetchNextPage()
      },
      { rootMargin: '240px' },
    )
    observer.observe(end)
    return () => observer.disconnect()
  }, [end, isWanted, isPlaceholderData, rows, fetchNextPage])

  return {
    endRef: setEnd,
    loadMore() {
      setFocusAt(meetings.length)
      void (isError && !list.error.retryable && meetings.length > 0 ? list.refetch() : fetchNextPage())
    },
    focusAt,
  }
}

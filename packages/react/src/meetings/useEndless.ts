'use client'

import { useEffect, useState } from 'react'
import type { UseMeetingsResult } from './useMeetings.js'

/** Options of `useEndless`. */
export interface UseEndlessOptions {
  /**
   * With this many rows it stops; after that only `fetchNextPage` loads more. Otherwise a keyboard user could
   * never leave a list that grows whenever its end is near. Default 100.
   */
  readonly upTo?: number | undefined
}

/**
 * Loads the next page of a list when its end is near the view. Returns the `ref` for an element at the end.
 * It loads nothing after a failure, with `upTo` rows, and in a browser without IntersectionObserver: for
 * these cases show a button that calls `fetchNextPage`.
 *
 * @example
 * const list = useMeetings()
 * const endRef = useEndless(list)
 * return <ul>…<li ref={endRef}><button onClick={list.fetchNextPage}>Load more</button></li></ul>
 */
export function useEndless(
  list: UseMeetingsResult<unknown>,
  { upTo = 100 }: UseEndlessOptions = {},
): (end: Element | null) => void {
  const [end, setEnd] = useState<Element | null>(null)
  const { meetings, hasNextPage, isFetching, isPlaceholderData, isError, fetchNextPage } = list
  const isWanted = hasNextPage && !isFetching && !isPlaceholderData && !isError && meetings.length < upTo

  useEffect(() => {
    if (!end || !isWanted || typeof IntersectionObserver === 'undefined') return undefined
    // An observer reports its element at once, so if a page does not fill the view, the next one is loaded.
    const observer = new IntersectionObserver(
      // A busy browser reports several changes at once; only the last one is true.
      (changes) => {
        if (changes.at(-1)?.isIntersecting) void fetchNextPage()
      },
      { rootMargin: '240px' },
    )
    observer.observe(end)
    return () => observer.disconnect()
  }, [end, isWanted, fetchNextPage])

  return setEnd
}

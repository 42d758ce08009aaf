'use client'

import { useEffect, useState } from 'react'
import type { UseMeetingsResult } from './useMeetings.js'

/** Second argument of `useEndless`. */
export interface UseEndlessOptions {
  /**
   * With this many rows it stops, and `fetchNextPage` alone loads more: with the keyboard, nobody gets past a
   * list that grows whenever its end is near. Default 100.
   */
  readonly upTo?: number | undefined
}

/**
 * Loads the next page of a list when its end is near the view. Returns the `ref` of an element at the end.
 * After a failure, with `upTo` rows, and in a browser without IntersectionObserver it loads nothing: have a
 * button for `fetchNextPage` too.
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
    // An observer says at once whether its element is in view, so a page that does not fill the view is
    // followed by the next one.
    const observer = new IntersectionObserver(
      // A busy browser reports several changes at once; the last one holds.
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

'use client'

import { useEffect, useState } from 'react'

/** The result of `useFollowEnd`. */
export interface UseFollowEndResult {
  /** For the box that scrolls. Its children must stay the same elements: add text inside one of them. */
  readonly ref: (box: HTMLElement | null) => void
  /** False after the reader has scrolled back. Show a button then. */
  readonly isAtEnd: boolean
  /**
   * For that button. It also moves the focus to the box, because the focus would be lost when the button
   * disappears.
   */
  readonly scrollToEnd: () => void
}

/** Browsers round sizes and positions in different ways. */
const ROUNDING_PX = 1

/**
 * Keeps the end of a growing box in sight while the reader is there. A reader who has scrolled back is not
 * moved.
 *
 * @example
 * const { ref, isAtEnd, scrollToEnd } = useFollowEnd()
 * <div ref={ref} tabIndex={0} role="group" aria-label="Captions" style={{ overflow: 'auto' }}>
 *   <ol>{segments.map(({ key, text }) => <li key={key}>{text}</li>)}</ol>
 * </div>
 * {!isAtEnd && <button onClick={scrollToEnd}>To the newest</button>}
 */
export function useFollowEnd(): UseFollowEndResult {
  const [box, ref] = useState<HTMLElement | null>(null)
  const [isAtEnd, setIsAtEnd] = useState(true)

  useEffect(() => {
    // Of the window of the box: that of a hidden page does not look into a picture-in-picture window. jsdom, in
    // which an application may test its page, has none.
    const { ResizeObserver } = (box?.ownerDocument.defaultView ?? {}) as Partial<typeof globalThis>
    if (!box || !ResizeObserver) return undefined
    return followEnd(box, ResizeObserver, setIsAtEnd)
  }, [box])

  function scrollToEnd(): void {
    if (!box) return
    toEnd(box)
    // The browser's own event comes later, and the box may grow before it.
    box.dispatchEvent(new Event('scroll'))
    box.focus({ preventScroll: true })
  }

  return { ref, isAtEnd, scrollToEnd }
}

/** Returns a function that stops following. */
function followEnd(
  box: HTMLElement,
  Observer: typeof ResizeObserver,
  onChange: (isAtEnd: boolean) => void,
): () => void {
  /** The value without waiting for a render, because the box may grow before. */
  let isFollowing = true
  let lastTop = 0

  function follow(next: boolean): void {
    isFollowing = next
    onChange(next)
    // Away from the end, the lines in sight stay in their place when older lines are removed. At the end that
    // would look like a reader who scrolls back.
    box.style.overflowAnchor = next ? 'none' : 'auto'
  }

  function look(): void {
    const isAtEnd = box.scrollHeight - box.clientHeight - box.scrollTop <= ROUNDING_PX
    // The box may have grown since it was at its end. Only a reader who scrolls back leaves the end.
    if (isAtEnd !== isFollowing && (isAtEnd || box.scrollTop < lastTop)) follow(isAtEnd)
    lastTop = box.scrollTop
  }

  // Sizes also change without a render: of the window, of a font, or of text that comes into view.
  const observer = new Observer(() => {
    look()
    if (!isFollowing) return
    toEnd(box)
    lastTop = box.scrollTop
  })
  for (const element of [box, ...box.children]) observer.observe(element, { box: 'border-box' })
  box.addEventListener('scroll', look, { passive: true })
  follow(true)
  return () => {
    observer.disconnect()
    box.removeEventListener('scroll', look)
  }
}

/** Without smooth scrolling, which would never reach the end of a fast text. */
const toEnd = (box: HTMLElement): void => box.scrollTo({ top: box.scrollHeight, behavior: 'instant' })

'use client'

import { useEffect, useState } from 'react'
import type { Platform } from '../platform/platform.js'
import type { MeetingsQuery } from './meetingsParams.js'
import { isSameQuery } from './meetingsParams.js'

/**
 * The query to ask for: a search that is being typed counts once it has rested for `settleMs`; every other change, an emptied search box
 * among them, counts at once.
 */
export function useSettledQuery(
  asked: MeetingsQuery,
  settleMs: number,
  platform: Platform,
): { readonly query: MeetingsQuery; readonly isSettling: boolean } {
  const [settled, setSettled] = useState(asked)
  const { q } = asked
  const isSame = isSameQuery(asked, settled)
  const isTyping = !isSame && q !== undefined && settleMs > 0 && isSameQuery({ ...settled, q }, asked)
  // React takes up a state set in the middle of a render at once, before anything is shown.
  if (!isSame && !isTyping) setSettled(asked)

  useEffect(() => {
    if (!isTyping || q === undefined) return undefined
    const timer = platform.setTimeout(() => setSettled((before) => ({ ...before, q })), settleMs)
    return () => platform.clearTimeout(timer)
  }, [isTyping, q, settleMs, platform])

  return { query: isSame || isTyping ? settled : asked, isSettling: isTyping }
}

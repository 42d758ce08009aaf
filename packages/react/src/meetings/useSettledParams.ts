'use client'

import { useEffect, useState } from 'react'
import type { Platform } from '../platform/platform.js'
import { isSameParams, type MeetingsParams } from './meetingsParams.js'

/**
 * The parameters to ask for. A search that is being typed counts after it has rested for `settleMs`. Every
 * other change counts at once, also an emptied search box.
 */
export function useSettledParams(
  asked: MeetingsParams,
  settleMs: number,
  platform: Platform,
): { readonly params: MeetingsParams; readonly isSettling: boolean } {
  const [settled, setSettled] = useState(asked)
  const { q } = asked
  const isSame = isSameParams(asked, settled)
  const isTyping = !isSame && q !== undefined && settleMs > 0 && isSameParams({ ...settled, q }, asked)
  // React takes up a state set in the middle of a render at once, before anything is shown.
  if (!isSame && !isTyping) setSettled(asked)

  useEffect(() => {
    if (!isTyping || q === undefined) return undefined
    const timer = platform.setTimeout(() => setSettled((before) => ({ ...before, q })), settleMs)
    return () => platform.clearTimeout(timer)
  }, [isTyping, q, settleMs, platform])

  return { params: isSame || isTyping ? settled : asked, isSettling: isTyping }
}

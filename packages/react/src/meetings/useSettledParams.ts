'use client'

import { useEffect, useState } from 'react'
import type { Client } from '../client/Client.js'
import { isSameParams, type MeetingsParams } from './meetingsParams.js'

/**
 * The parameters to ask for. A search that is being typed counts after it has rested for `settleMs`. Every
 * other change counts at once, also an emptied search box and a change of user.
 */
export function useSettledParams(
  asked: MeetingsParams,
  settleMs: number,
  client: Client,
): { readonly params: MeetingsParams; readonly isSettling: boolean } {
  const [settled, setSettled] = useState({ client, params: asked })
  const { params } = settled
  const { platform } = client
  const { q } = asked
  const isOwn = settled.client === client
  const isSame = isOwn && isSameParams(asked, params)
  const isTyping =
    isOwn && !isSame && q !== undefined && settleMs > 0 && isSameParams({ ...params, q }, asked)
  // React takes up a state set in the middle of a render at once, before anything is shown.
  if (!isSame && !isTyping) setSettled({ client, params: asked })

  useEffect(() => {
    if (!isTyping || q === undefined) return undefined
    const timer = platform.setTimeout(
      () => setSettled((before) => ({ ...before, params: { ...before.params, q } })),
      settleMs,
    )
    return () => platform.clearTimeout(timer)
  }, [isTyping, q, settleMs, platform])

  return { params: isSame || isTyping ? params : asked, isSettling: isTyping }
}

'use client'

import type { MeetingsParams } from '@stagepass/contract'
import { useEffect, useState } from 'react'
import type { Client } from '../identity/Client.js'
import { isSameParams } from './MeetingsFilters.js'

/**
 * The parameters to request. A changed search is used after `debounceMs` without a further change. Every
 * other change is used at once, also an empty search box and a change of user.
 */
export function useDebouncedParams(
  asked: MeetingsParams,
  debounceMs: number,
  client: Client,
): { readonly params: MeetingsParams; readonly isDebouncing: boolean } {
  const [debounced, setDebounced] = useState({ client, params: asked })
  const { params } = debounced
  const { platform } = client
  const { q } = asked
  const isOwn = debounced.client === client
  const isSame = isOwn && isSameParams(asked, params)
  const isTyping =
    isOwn && !isSame && q !== undefined && debounceMs > 0 && isSameParams({ ...params, q }, asked)
  // React renders again at once if a state is set during a render, before anything is shown.
  if (!isSame && !isTyping) setDebounced({ client, params: asked })

  useEffect(() => {
    if (!isTyping || q === undefined) return undefined
    const timer = platform.setTimeout(
      () => setDebounced((before) => ({ ...before, params: { ...before.params, q } })),
      debounceMs,
    )
    return () => platform.clearTimeout(timer)
  }, [isTyping, q, debounceMs, platform])

  return { params: isSame || isTyping ? params : asked, isDebouncing: isTyping }
}

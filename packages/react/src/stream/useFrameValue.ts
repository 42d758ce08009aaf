'use client'

import { useEffect, useInsertionEffect, useRef, useState } from 'react'
import type { Client } from '../identity/Client.js'
import { useClient } from '../identity/useClient.js'
import { createFrameBatch } from './createFrameBatch.js'

/**
 * A value made of items that come at any time. `reduce` gets the items of one animation frame and the
 * previous value. It must be pure. If it returns the previous value, nothing renders. `listen` subscribes to
 * the items and returns a function that unsubscribes; a new `listen` means a new source. When the user
 * changes, the value is `undefined` again.
 */
export function useFrameValue<TItem, TValue>(
  listen: (add: (item: TItem) => void) => () => void,
  reduce: (items: readonly TItem[], previous: TValue | undefined) => TValue | undefined,
): TValue | undefined {
  const client = useClient()
  const { platform } = client
  // `owner` is the client of the user whose messages made the value.
  const [{ value, owner }, setState] = useState<{ owner: Client; value?: TValue | undefined }>({
    owner: client,
  })
  const latest = useRef(reduce)
  useInsertionEffect(() => {
    latest.current = reduce
  })

  useEffect(() => {
    // An ordinary state update: useSyncExternalStore updates synchronously, and would discard the work of any
    // transition sixty times a second. React may combine several updates in one render, so each continues
    // from the previous one.
    const batch = createFrameBatch<TItem>(platform, (items) => {
      const reduce = latest.current
      setState((before) => {
        const isOwn = before.owner === client
        const value = reduce(items, isOwn ? before.value : undefined)
        return isOwn && value === before.value ? before : { owner: client, value }
      })
    })
    const stop = listen(batch.add)
    return () => {
      stop()
      batch.cancel()
    }
  }, [listen, client, platform])

  return owner === client ? value : undefined
}

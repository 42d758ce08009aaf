'use client'

import { useEffect, useInsertionEffect, useRef, useState } from 'react'
import type { Client } from '../client/Client.js'
import { useClient } from '../client/useClient.js'
import { createFrameBatch } from './createFrameBatch.js'
import type { MessageInfo } from './wire/createConnections.js'

/** What `useStreamValue` needs of a stream. */
export interface Subscribable<TMessage> {
  readonly subscribe: (listener: (message: TMessage, info: MessageInfo) => void) => () => void
}

/**
 * A value made of a stream's messages: `selector` gets each message in order and the value before it,
 * `undefined` at first. Renders at most once an animation frame, and not at all if `isEqual` (default
 * `Object.is`) finds the value unchanged. `selector` must be pure.
 *
 * @example const last = useStreamValue(stream, (message) => message)
 * @example
 * const lines = useStreamValue(stream, (message, lines: string[] = []) =>
 *   [...lines, String(message)].slice(-5),
 * )
 */
export function useStreamValue<TMessage, TValue>(
  stream: Subscribable<TMessage>,
  selector: (message: TMessage, previous: TValue | undefined) => TValue,
  isEqual: (previous: TValue, next: TValue) => boolean = Object.is,
): TValue | undefined {
  const client = useClient()
  const { platform } = client
  // The client is that of the user whose messages made the value.
  const [{ value, owner }, setState] = useState<{ owner: Client; value?: TValue | undefined }>({
    owner: client,
  })
  const latest = useRef({ selector, isEqual })
  useInsertionEffect(() => {
    latest.current = { selector, isEqual }
  })

  const { subscribe } = stream
  useEffect(() => {
    // An ordinary update: one through useSyncExternalStore would be synchronous, and throw away the work of
    // any transition sixty times a second. React may put several together before it renders, so each goes on
    // from the one before.
    const batch = createFrameBatch<TMessage>(platform, (messages) => {
      const { selector, isEqual } = latest.current
      setState((before) => {
        const previous = before.owner === client ? before.value : undefined
        const value = messages.reduce<TValue | undefined>(
          (value, message) => selector(message, value),
          previous,
        )
        return previous !== undefined && isEqual(previous, value as TValue)
          ? before
          : { owner: client, value }
      })
    })
    const unsubscribe = subscribe(batch.add)
    return () => {
      unsubscribe()
      batch.cancel()
    }
  }, [subscribe, client, platform])

  return owner === client ? value : undefined
}

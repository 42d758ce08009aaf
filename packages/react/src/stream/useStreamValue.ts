'use client'

import { useFrameValue } from './useFrameValue.js'
import type { MessageInfo } from './wire/createConnections.js'

/** The part of a stream that `useStreamValue` needs. */
export interface Subscribable<TMessage> {
  readonly subscribe: (listener: (message: TMessage, info: MessageInfo) => void) => () => void
}

/**
 * A value made of a stream's messages. `selector` gets each message in order and the previous value,
 * `undefined` at first. It must be pure. The component renders at most once in an animation frame, and not if
 * `isEqual` (default `Object.is`) finds the value unchanged.
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
  return useFrameValue<TMessage, TValue>(stream.subscribe, (messages, previous) => {
    const value = messages.reduce<TValue | undefined>((value, message) => selector(message, value), previous)
    return previous !== undefined && isEqual(previous, value as TValue) ? previous : value
  })
}

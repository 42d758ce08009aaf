'use client'

import type { Product } from '@stagepass/contract'
import { useEffect, useInsertionEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useClient } from '../client/useClient.js'
import type { Codec } from './Codec.js'
import { IDLE, type StreamSnapshot } from './Stream.js'
import type { MessageInfo } from './wire/createConnections.js'
import { createStreamHandle, type StreamHandle } from './createStreamHandle.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import type { StreamSettings } from './machine/settings.js'
import { createLazyStreams } from './createLazyStreams.js'

/** Second argument of `useStream`. Of the settings, those of the first component count for all that share the stream. */
export interface UseStreamOptions<TSend, TMessage> extends Omit<StreamSettings, 'greeting'> {
  /** Called for every message, without a render. May be an inline function. */
  onMessage?: ((message: TMessage, info: MessageInfo) => void) | undefined
  /** False: the stream is not opened on this component's account. Default true. */
  enabled?: boolean | undefined
  /** Components that use the same product and key share one connection. Default `'default'`. */
  key?: string | undefined
  /** Types messages both ways. Without it they are text and bytes, as they come. */
  codec?: Codec<TSend, TMessage> | undefined
}

/** Its members but `status` and `error` are the same at every render. */
export interface UseStreamResult<TSend, TMessage> extends StreamHandle<TSend, TMessage>, StreamSnapshot {}

/**
 * A connection to a product that is always opened with a live token, and comes back when it is lost. The component renders when `status` or
 * `error` changes and for nothing else.
 *
 * @example
 * const stream = useStream('stt', { onMessage: (data) => show(data) })
 * stream.send(frame) // 'sent', 'queued' or 'dropped'
 */
export function useStream<TSend = SendData, TMessage = ReceivedData>(
  product: Product,
  options: UseStreamOptions<TSend, TMessage> = {},
): UseStreamResult<TSend, TMessage> {
  const client = useClient()
  const streams = client.part(createLazyStreams)
  const { enabled = true, key = 'default' } = options

  const handle = useMemo(
    () => createStreamHandle<TSend, TMessage>(streams, product, key),
    [streams, product, key],
  )

  // Read through references, so that what is new at every render reconnects nothing.
  const latest = useRef(options)
  useInsertionEffect(() => {
    latest.current = options
    handle.setCodec(options.codec)
  })

  const snapshot = useSyncExternalStore(
    handle.watch,
    () => streams.snapshot(product, key),
    () => IDLE,
  )

  useEffect(
    () => handle.methods.subscribe((message, info) => latest.current.onMessage?.(message, info)),
    [handle],
  )

  useEffect(() => {
    const settings = (): StreamSettings => ({ ...latest.current, greeting: latest.current.codec })
    return streams.join(product, key, { enabled, settings })
  }, [streams, product, key, enabled])

  return useMemo(() => ({ ...handle.methods, ...snapshot }), [handle, snapshot])
}

'use client'

import type { Product } from '@stagepass/contract'
import { useEffect, useInsertionEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Client } from '../client/Client.js'
import { useClient } from '../client/useClient.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import { tokensOf } from '../token/tokensOf.js'
import type { Codec } from './Codec.js'
import { iterateMessages } from './iterateMessages.js'
import type { StreamSettings } from './machine/settings.js'
import type { SendResult } from './queue/createSendQueue.js'
import { IDLE, type StreamSnapshot, type StreamStats } from './Stream.js'
import { streamsOf } from './streamsOf.js'
import type { MessageInfo } from './wire/createConnections.js'
import { mistake } from '../errors/mistake.js'

/**
 * Second argument of `useStream`. Of the settings, those of the first component count for all that share the
 * stream.
 */
export interface UseStreamOptions<TSend, TMessage> extends Omit<StreamSettings, 'setup'> {
  // What everyone sets.

  /** Called for every message, without a render. May be an inline function. */
  onMessage?: ((message: TMessage, info: MessageInfo) => void) | undefined
  /** False: the stream is not opened on this component's account. Default true. */
  enabled?: boolean | undefined
  /** Types messages both ways. Without it they are text and bytes, as they come. */
  codec?: Codec<TSend, TMessage> | undefined

  // What some set; the expert knobs are those of `StreamSettings`.

  /**
   * Holds a live token while the component is mounted and the page is visible, so that opening costs the
   * handshake alone. A token is a request; if no stream uses it, it costs no minutes of the user. Default
   * false.
   */
  warm?: boolean | undefined
  /** Components that use the same product and key share one connection. Default `'default'`. */
  key?: string | undefined
}

/** What a component does with a stream. Every member keeps its identity. */
interface StreamActions<TSend, TMessage> extends AsyncIterable<TMessage> {
  /**
   * Sends, or queues while the stream is not open or the network is slower: `'sent'` to the socket,
   * `'queued'`, or `'dropped'`. The first call may come before the stream is open. Bytes go to the socket as
   * they are, whatever the codec: a microphone's frames need none. Objects need one, such as `json()` of
   * `@stagepass/react/codecs`: without it they throw.
   */
  readonly send: (message: TSend | BufferSource | Blob) => SendResult
  /** Opens the stream if `enabled` is false, and again after it was closed or has failed. */
  readonly open: () => void
  /**
   * Gets a live token for an `open()` that is about to come: call it when a pointer goes down on the button,
   * or when it gets the focus. Does nothing if there is a token.
   */
  readonly prepare: () => void
  /**
   * Closes the stream at once, for all consumers, until `open()`. Queued messages are still sent if possible.
   * What the service still owes is lost.
   */
  readonly close: () => void
  /**
   * Closes the stream without losing a word: takes no more, sends what is queued, also if the stream is not
   * open yet, and closes after the last final text (`isFinal` of the codec; without it, after a second
   * without a message), at the latest `timeoutMs` after all was sent, default 3,000. Resolves when the stream
   * is closed, or was opened again. Never rejects.
   */
  readonly finish: (options?: { timeoutMs?: number | undefined }) => Promise<void>
  /** Calls back for every message. Returns its undo. */
  readonly subscribe: (listener: (message: TMessage, info: MessageInfo) => void) => () => void
  /** Counters, and the latency of the queue, as of now. */
  readonly stats: () => StreamStats
  /**
   * The messages from now on, until the stream is closed or `signal` aborts. Throws the stream's error when
   * it fails. `for await` on the stream itself does the same.
   */
  readonly messages: (options?: {
    signal?: AbortSignal | undefined
  }) => AsyncGenerator<TMessage, void, undefined>
}

/** What `useStream` returns: a union on `status`. All its other functions are the same at every render. */
export type UseStreamResult<TSend, TMessage> = StreamActions<TSend, TMessage> & StreamSnapshot

/**
 * A connection to a product that is always opened with a live token, and comes back when it is lost. The
 * component renders when `status` or `error` changes and for nothing else.
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
  const { enabled = true, warm = false, key = 'default' } = options

  const { methods, watch, setCodec } = useMemo(
    () => createActions<TSend, TMessage>(client, product, key),
    [client, product, key],
  )

  // Read through references, so that what is new at every render reconnects nothing.
  const latest = useRef(options)
  useInsertionEffect(() => {
    latest.current = options
    setCodec(options.codec)
  })

  const snapshot = useSyncExternalStore(
    watch,
    () => streamsOf(client).snapshot(product, key),
    () => IDLE,
  )

  useEffect(() => methods.subscribe((message, info) => latest.current.onMessage?.(message, info)), [methods])

  useEffect(() => {
    const settings = (): StreamSettings => ({ ...latest.current, setup: latest.current.codec })
    return streamsOf(client).of(product, key).join({ enabled, settings })
  }, [client, product, key, enabled])

  useEffect(() => (warm ? keepWarm(client, product) : undefined), [client, product, warm])

  return useMemo(() => ({ ...methods, ...snapshot }), [methods, snapshot])
}

/** Holds a live token while the page is visible. Returns its undo. */
function keepWarm(client: Client, product: Product): () => void {
  const { platform } = client
  let release: (() => void) | undefined
  const follow = (isVisible: boolean): void => {
    release?.()
    release = isVisible ? tokensOf(client, product).retain() : undefined
  }
  const stop = platform.watchVisibility ? platform.watchVisibility(follow) : follow(true)
  return () => {
    stop?.()
    follow(false)
  }
}

/**
 * What is done with the stream of that name, which need not exist yet; and what only the hook needs of it.
 */
export function createActions<TSend, TMessage>(client: Client, product: Product, key: string) {
  const streams = streamsOf(client)
  let codec: Codec<TSend, TMessage> | undefined
  const stream = () => streams.of(product, key)
  const watch = (listener: () => void): (() => void) => stream().watch(listener)

  function encode(message: TSend | BufferSource | Blob): SendData {
    if (isBinary(message)) return message
    if (codec) return codec.encode(message)
    if (typeof message === 'string') return message
    throw mistake('noCodec')
  }

  const subscribe: StreamActions<TSend, TMessage>['subscribe'] = (listener) =>
    stream().subscribe((data, info) => {
      if (codec) for (const message of codec.decode(data)) listener(message, info)
      else listener(data as TMessage, info)
    })

  const messages: StreamActions<TSend, TMessage>['messages'] = ({ signal } = {}) =>
    iterateMessages<TMessage>(
      { subscribe, watch, snapshot: () => streams.snapshot(product, key), ended: client.signal },
      signal,
    )

  const methods: StreamActions<TSend, TMessage> = {
    send: (message) => stream().send(encode(message)),
    open: () => stream().open(),
    // If it fails, the press asks again, and shows why.
    prepare: () =>
      void tokensOf(client, product)
        .get()
        .catch(() => {}),
    close: () => stream().close(),
    finish: ({ timeoutMs = 3_000 } = {}) => stream().finish(timeoutMs),
    subscribe,
    stats: () => stream().stats(),
    messages,
    [Symbol.asyncIterator]: () => messages(),
  }

  function setCodec(next: Codec<TSend, TMessage> | undefined): void {
    codec = next
  }

  return { methods, watch, setCodec }
}

/** Not `instanceof`: a frame may come from another realm, such as an iframe or a test environment. */
function isBinary(message: unknown): message is BufferSource | Blob {
  const tag = Object.prototype.toString.call(message)
  return (
    ArrayBuffer.isView(message) || ['[object ArrayBuffer]', '[object Blob]', '[object File]'].includes(tag)
  )
}

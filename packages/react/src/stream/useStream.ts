'use client'

import type { Product } from '@stagepass/contract'
import { useEffect, useInsertionEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { Client } from '../identity/Client.js'
import { useClient } from '../identity/useClient.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import { tokensOf } from '../token/tokensOf.js'
import type { Codec } from './Codec.js'
import { seamlessSettings, type StreamSettings } from './machine/settings.js'
import type { SendResult } from './queue/createSendQueue.js'
import { IDLE, type StreamSnapshot } from './machine/snapshot.js'
import type { StreamStats } from './Stream.js'
import { nameStream } from './streamNames.js'
import { streamsOf } from './streamsOf.js'
import type { MessageInfo } from './wire/createConnections.js'
import { checkTime } from '../errors/checkTime.js'
import { checkTimes } from '../errors/checkTimes.js'
import { mistake } from '../errors/mistake.js'

/**
 * Options of `useStream`. If components share a stream, the settings of the first one apply. Times are in
 * milliseconds, and `Infinity` is no limit. A time that makes no sense, such as a negative one, throws in the
 * call of the hook.
 */
export interface UseStreamOptions<TSend, TMessage> extends Omit<StreamSettings, 'setup'> {
  // Everyone sets these.

  /** Called for every message. Causes no render. May be an inline function. */
  onMessage?: ((message: TMessage, info: MessageInfo) => void) | undefined
  /** False: this component does not open the stream. Default true. */
  enabled?: boolean | undefined
  /**
   * Gives messages their types, in both directions. Without a codec they are plain text and bytes. If another
   * codec would begin the connection with another text, such as another language, the stream replaces its
   * connection.
   */
  codec?: Codec<TSend, TMessage> | undefined

  // Some set these; `StreamSettings` has the options for experts.

  /**
   * Keeps a live token ready while the component is mounted and the page is visible, so that opening takes
   * only the handshake. It costs token requests, but no minutes without a stream. Default false.
   */
  warm?: boolean | undefined
  /** Components that use the same product and key share one connection. Default `'default'`. */
  key?: string | undefined
}

/**
 * Two signatures and not a union: in a union with `Blob`, which has a `type`, TypeScript would accept a
 * `type` in every message.
 */
interface Send<TSend> {
  (frame: BufferSource | Blob): SendResult
  (message: TSend): SendResult
}

/** The functions of a stream. Each is the same at every render. */
interface StreamActions<TSend, TMessage> {
  /**
   * Sends a message, or queues it while the stream is not open or the network is too slow. Returns `'sent'`
   * (to the socket), `'queued'` or `'dropped'`. May be called before the stream is open. Bytes, such as a
   * microphone's frames, bypass the codec. Objects need a codec, such as `json()` of
   * `@stagepass/react/codecs`: without one the call throws.
   */
  readonly send: Send<TSend>
  /**
   * Opens the stream if `enabled` is false, or after it was closed or has failed. While it is `reconnecting`,
   * it tries now, and the queue is kept. After a failure, a further call within a second waits for its end.
   */
  readonly open: () => void
  /**
   * Gets a live token for the next `open()`. Call it when the pointer is pressed on the button, or when the
   * button gets the focus. Does nothing if there is a token.
   */
  readonly prepare: () => void
  /**
   * Closes the stream at once, for all consumers, until `open()`. Queued messages are still sent if possible.
   * Messages that the service has not sent yet are lost.
   */
  readonly close: () => void
  /**
   * Closes the stream without losing a word. It accepts no more messages, sends the queue (also if the stream
   * is not open yet), and closes after the last final text (`isFinal` of the codec; without it, after a
   * second without a message). It waits at most `timeoutMs` after all was sent, default 3,000. With `resend` it
   * waits up to 10 s for speech that is not final, also for another connection if this one is lost. Resolves
   * when the stream is closed, or was opened again. Never rejects.
   */
  readonly finish: (options?: { timeoutMs?: number | undefined }) => Promise<void>
  /** Calls the listener for every message. Returns a function that unsubscribes. */
  readonly subscribe: (listener: (message: TMessage, info: MessageInfo) => void) => () => void
  /** The current counters, and the latency of the queue. */
  readonly stats: () => StreamStats
}

/** The result of `useStream`: a union on `status`, and functions that are the same at every render. */
export type UseStreamResult<TSend, TMessage> = StreamActions<TSend, TMessage> & StreamSnapshot

/**
 * Connects to a product, always with a live token, and reconnects when the connection is lost. The component
 * renders only when `status` or `error` changes.
 *
 * @example
 * const stream = useStream('stt', { onMessage: (data) => show(data) })
 * stream.send(frame) // 'sent', 'queued' or 'dropped'
 */
export function useStream<TSend = SendData, TMessage = ReceivedData>(
  product: Product,
  options: UseStreamOptions<TSend, TMessage> = {},
): UseStreamResult<TSend, TMessage> {
  checkTimes(options)
  const client = useClient()
  const { enabled = true, warm = false, key = 'default' } = options
  if (process.env.NODE_ENV !== 'production') sayUnknownOptions(client, options)

  const { methods, watch, setCodec, followCodec } = useMemo(
    () => createActions<TSend, TMessage>(client, product, key),
    [client, product, key],
  )

  // Read through references, so that new functions at every render do not reconnect the stream. Made here,
  // because each frame reads them.
  const given = { ...options, setup: options.codec }
  const latest = useRef(given)
  useInsertionEffect(() => {
    latest.current = given
    setCodec(options.codec)
  })

  const snapshot = useSyncExternalStore(
    watch,
    () => streamsOf(client).snapshot(product, key),
    () => IDLE,
  )

  useEffect(() => methods.subscribe((message, info) => latest.current.onMessage?.(message, info)), [methods])

  useEffect(() => {
    const settings = (): StreamSettings => latest.current
    return streamsOf(client).of(product, key).join({ enabled, settings })
  }, [client, product, key, enabled])

  const { codec } = options
  useEffect(() => followCodec(codec), [followCodec, codec])

  useEffect(() => (warm ? keepWarm(client, product) : undefined), [client, product, warm])

  return useMemo(() => ({ ...methods, ...snapshot }), [methods, snapshot])
}

/** In development: logs options that do not exist. */
function sayUnknownOptions<TSend, TMessage>(
  client: Client,
  options: UseStreamOptions<TSend, TMessage>,
): void {
  const say = <TGiven extends object>(
    group: string,
    given: TGiven | undefined,
    known: Readonly<Record<keyof TGiven, true>>,
  ): void => sayUnknown(client.said, `useStream does not know the ${group}`, given, known)

  say('option', options, {
    onMessage: true,
    enabled: true,
    codec: true,
    warm: true,
    key: true,
    rollover: true,
    queue: true,
    resend: true,
    reconnect: true,
    connectTimeoutMs: true,
    keepInBackground: true,
  })
  say('setting of the rollover', seamlessSettings(options), { silenceMs: true, deadlineMs: true })
  say('setting of the queue', options.queue, { maxBytes: true, maxAgeMs: true, drop: true })
  say('setting of resend', options.resend || undefined, {
    keepMs: true,
    pace: true,
    lagMs: true,
    persist: true,
    sampleRate: true,
  })
  say('setting of reconnect', options.reconnect, {
    minDelayMs: true,
    maxDelayMs: true,
    maxAttempts: true,
    stableMs: true,
    silenceMs: true,
    shouldReconnect: true,
  })
}

/** Keeps a live token ready while the page is visible. Returns a function that stops this. */
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

/** The functions for the stream with this key, which need not exist yet, and those that only the hook uses. */
function createActions<TSend, TMessage>(client: Client, product: Product, key: string) {
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

  const methods: StreamActions<TSend, TMessage> = {
    send: (message: TSend | BufferSource | Blob) => stream().send(encode(message)),
    open: () => stream().open(),
    // If it fails, `open()` tries again and shows the error.
    prepare: () =>
      void tokensOf(client, product)
        .get()
        .catch(() => {}),
    close: () => stream().close(),
    finish({ timeoutMs = 3_000 } = {}) {
      checkTime('finish.timeoutMs', timeoutMs, true)
      return stream()
        .finish(timeoutMs)
        .then(() => {})
    },
    subscribe,
    stats: () => stream().stats(),
  }

  nameStream(methods.send, { product, key })

  function setCodec(next: Codec<TSend, TMessage> | undefined): void {
    codec = next
  }

  let followed: Codec<TSend, TMessage> | undefined
  /** Called after each commit with another codec. The stream reads it from the settings of its first user. */
  function followCodec(next: Codec<TSend, TMessage> | undefined): void {
    if (next !== followed) stream().refresh()
    followed = next
  }

  return { methods, watch, setCodec, followCodec }
}

/** Not `instanceof`: a frame may come from another realm, such as an iframe or a test environment. */
function isBinary(message: unknown): message is BufferSource | Blob {
  const tag = Object.prototype.toString.call(message)
  return (
    ArrayBuffer.isView(message) || ['[object ArrayBuffer]', '[object Blob]', '[object File]'].includes(tag)
  )
}

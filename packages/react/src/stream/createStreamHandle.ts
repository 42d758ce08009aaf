import type { Product } from '@stagepass/contract'
import type { Codec } from './Codec.js'
import type { SendResult } from './queue/createSendQueue.js'
import { iterateMessages } from './iterateMessages.js'
import type { SendData } from '../platform/socket.js'
import type { StreamStats } from './Stream.js'
import type { MessageInfo } from './wire/createConnections.js'
import type { Streams } from './createLazyStreams.js'

/** What a component does with a stream. Every member keeps its identity. */
export interface StreamHandle<TSend, TMessage> extends AsyncIterable<TMessage> {
  /**
   * Sends, or queues while the stream is not open or the network is slower: `'sent'` to the socket, `'queued'`, or `'dropped'`. The first
   * call may come before the stream is open. Bytes go to the socket as they are, whatever the codec: a microphone's frames need none.
   */
  readonly send: (message: TSend | BufferSource | Blob) => SendResult
  /** Opens the stream if `enabled` is false, and again after it was closed or has failed. */
  readonly open: () => void
  /** Closes the stream for all consumers, until `open()`. Queued messages are still sent if possible. */
  readonly close: () => void
  /** Calls back for every message. Returns its undo. */
  readonly subscribe: (listener: (message: TMessage, info: MessageInfo) => void) => () => void
  /** Counters, and the latency of the queue, as of now. */
  readonly stats: () => StreamStats
  /**
   * The messages from now on, until the stream is closed or `signal` aborts. Throws the stream's error when it fails. `for await` on the
   * stream itself does the same.
   */
  readonly messages: (options?: {
    signal?: AbortSignal | undefined
  }) => AsyncGenerator<TMessage, void, undefined>
}

/** A handle with what only the hook needs. */
export interface ConnectedHandle<TSend, TMessage> {
  readonly methods: StreamHandle<TSend, TMessage>
  /** Calls back when the stream's snapshot has changed. Returns its undo. */
  readonly watch: (listener: () => void) => () => void
  setCodec(codec: Codec<TSend, TMessage> | undefined): void
}

/** A handle on the stream of that name, which need not exist yet. */
export function createStreamHandle<TSend, TMessage>(
  streams: Streams,
  product: Product,
  key: string,
): ConnectedHandle<TSend, TMessage> {
  let codec: Codec<TSend, TMessage> | undefined

  const stream = () => streams.stream(product, key)
  const watch = (listener: () => void): (() => void) => stream().watch(listener)
  const snapshot = () => streams.snapshot(product, key)

  function encode(message: TSend | BufferSource | Blob): SendData {
    if (isBinary(message)) return message
    // Without a codec, a message of the application is what the socket takes and gives: the defaults of the types say so.
    return codec ? codec.encode(message) : (message as SendData)
  }

  const subscribe: StreamHandle<TSend, TMessage>['subscribe'] = (listener) =>
    stream().subscribe((data, info) => {
      if (codec) for (const message of codec.decode(data)) listener(message, info)
      else listener(data as TMessage, info)
    })

  const messages: StreamHandle<TSend, TMessage>['messages'] = ({ signal } = {}) =>
    iterateMessages<TMessage>({ subscribe, watch, snapshot, ended: streams.signal }, signal)

  return {
    watch,
    setCodec(next) {
      codec = next
    },
    methods: {
      send: (message) => stream().send(encode(message)),
      open: () => streams.open(product, key),
      close: () => streams.close(product, key),
      subscribe,
      stats: () => stream().stats(),
      messages,
      [Symbol.asyncIterator]: () => messages(),
    },
  }
}

/** Not `instanceof`: a frame may come from another realm, such as an iframe or a test environment. */
function isBinary(message: unknown): message is BufferSource | Blob {
  const tag = Object.prototype.toString.call(message)
  return (
    ArrayBuffer.isView(message) || ['[object ArrayBuffer]', '[object Blob]', '[object File]'].includes(tag)
  )
}

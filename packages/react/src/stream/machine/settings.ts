import type { ReceivedData, SendData } from '../../platform/socket.js'

/** When to try again, and when to stop. */
interface ReconnectSettings {
  /** Ceiling of the first random wait; it doubles with every failure in a row. Default 500. */
  minDelayMs?: number | undefined
  /** Highest ceiling. Default 30,000. */
  maxDelayMs?: number | undefined
  /** Failures in a row before the stream is `failed`; failures while offline do not count. Default 30. */
  maxAttempts?: number | undefined
  /** A connection must live this long before its failures are forgotten. Default 10,000. */
  stableMs?: number | undefined
  /** A server that has sent nothing for this time counts as lost. Default: it may be silent for ever. */
  silenceMs?: number | undefined
}

/** Where sends wait while the stream is not open, or while the network is slower than they come. */
export interface QueueSettings {
  /** Most bytes that wait. Default 1 MiB. */
  maxBytes?: number | undefined
  /** A message that is older than this when its turn comes is dropped. Default 6,000. */
  maxAgeMs?: number | undefined
  /**
   * What is dropped when the queue is full: the oldest message (default, right for live audio) or the newest.
   */
  drop?: 'oldest' | 'newest' | undefined
}

/** How a stream changes to the next token before expiry. */
export interface SeamlessRollover {
  /** Nothing sent for this time is a moment at which a switch cuts nothing. Default 300. */
  silenceMs?: number | undefined
  /** The switch waits no longer than this, nor beyond the old token's life. Default 10,000. */
  deadlineMs?: number | undefined
}

/** What a codec asks of each connection; see `@stagepass/react/codecs`. */
export interface StreamSetup {
  /** Messages that open every connection, before all others. */
  start?: (() => readonly SendData[]) | undefined
  /**
   * True for the message with which the server says that it is ready. Without it, an open socket is ready.
   */
  isReady?: ((data: ReceivedData) => boolean) | undefined
  /** How long to wait for it. Default 20,000. */
  readyTimeoutMs?: number | undefined
  /**
   * Of a message with text: whether the text is final, or grows. `undefined` for all else. `finish` waits for
   * the last final one; without this, for a second without a message.
   */
  isFinal?: ((data: ReceivedData) => boolean | undefined) | undefined
}

/** The settings of a stream. A shared stream takes those of its first consumer. */
export interface StreamSettings {
  /**
   * `'on-close'` (default): the socket stays until it is closed; the next connection takes the next token.
   * `'seamless'`: the next socket is opened with the next token before expiry, and the old one is closed.
   */
  rollover?: 'on-close' | 'seamless' | SeamlessRollover | undefined
  /** Where sends wait. */
  queue?: QueueSettings | undefined
  /** When to try again, and when to stop. */
  reconnect?: ReconnectSettings | undefined
  /** A handshake that takes longer is given up. Default 10,000: a browser would wait for minutes. */
  connectTimeoutMs?: number | undefined
  /** What a codec asks of each connection. */
  setup?: StreamSetup | undefined
}

/** The settings of a seamless rollover; empty if there are none. */
export function seamlessSettings({ rollover }: StreamSettings): SeamlessRollover {
  return typeof rollover === 'object' ? rollover : {}
}

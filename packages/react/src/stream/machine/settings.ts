import type { ReceivedData, SendData } from '../../platform/socket.js'

/** When to try again, and when to stop. */
export interface ReconnectSettings {
  /** Ceiling of the first random wait; it doubles with every failure in a row. Default 500. */
  minDelayMs?: number | undefined
  /** Highest ceiling. Default 30,000. */
  maxDelayMs?: number | undefined
  /** Failures in a row before the stream gives up and is `failed`; those while offline do not count. Default 30. */
  maxAttempts?: number | undefined
  /** A connection must have lived so long before its failures are forgotten. Default 10,000. */
  stableMs?: number | undefined
  /** A peer that has said nothing for so long is taken for dead. Default: it may be silent for ever. */
  silenceMs?: number | undefined
  /** A send buffer that has not drained at all for so long belongs to a dead peer. Default 5,000. */
  stallMs?: number | undefined
}

/** Where sends wait while the stream is not open, or while the network is slower than they come. */
export interface QueueSettings {
  /** Most bytes that wait. Default 1 MiB. */
  maxBytes?: number | undefined
  /** What is older than this when its turn comes is dropped. Default 6,000. */
  maxAgeMs?: number | undefined
  /** What goes when the queue is full: the oldest (default, right for live audio) or the newest, the call that found it full. */
  drop?: 'oldest' | 'newest' | undefined
  /** Above so many bytes in the socket's own buffer, sends wait here. Default 65,536. */
  highMark?: number | undefined
  /** Below so many, they go on. Default 16,384. */
  lowMark?: number | undefined
}

/** How a stream goes over to the next token ahead of expiry. */
export interface SeamlessRollover {
  /** Called when the next connection stands ready; call `now` when a switch would tear nothing. Default: silence decides. */
  safeMoment?: ((now: () => void) => void) | undefined
  /** Without `safeMoment`: nothing sent for so long is a safe moment. Default 300. */
  silenceMs?: number | undefined
  /** The switch waits no longer than this, nor beyond the old token's life. Default 10,000. */
  deadlineMs?: number | undefined
  /** How long the old connection is still listened to after the switch. Default 2,000. */
  drainMs?: number | undefined
}

/** What a codec asks of each connection; see `@stagepass/react/codecs`. */
export interface Greeting {
  /** Frames that open every connection, before anything else. */
  start?: (() => readonly SendData[]) | undefined
  /** True for the message with which the server says that it is ready. Without it, an open socket is ready. */
  isReady?: ((data: ReceivedData) => boolean) | undefined
  /** How long to wait for it. Default 20,000. */
  readyTimeoutMs?: number | undefined
}

/** Everything about a connection that may be set. A stream that is shared takes them from its first user. */
export interface StreamSettings {
  /** A handshake that hangs is given up after so long. Default 10,000: a browser would wait for minutes. */
  connectTimeoutMs?: number | undefined
  reconnect?: ReconnectSettings | undefined
  queue?: QueueSettings | undefined
  /**
   * `'on-close'` (default): the socket lives until somebody closes it; the next connection takes the next token. `'seamless'`: the next
   * socket is opened on the next token ahead of expiry, and the old one retired.
   */
  rollover?: 'on-close' | 'seamless' | SeamlessRollover | undefined
  greeting?: Greeting | undefined
}

/** The settings of a seamless rollover; empty if there are none. */
export function seamlessSettings({ rollover }: StreamSettings): SeamlessRollover {
  return typeof rollover === 'object' ? rollover : {}
}

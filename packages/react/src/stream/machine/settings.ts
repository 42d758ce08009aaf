import type { ReceivedData, SendData } from '../../platform/socket.js'

/* The defaults of all settings below. */

export const CONNECT_TIMEOUT_MS = 10_000
export const READY_TIMEOUT_MS = 20_000
export const MIN_DELAY_MS = 500
export const MAX_DELAY_MS = 30_000
export const MAX_ATTEMPTS = 30
export const STABLE_MS = 10_000
export const MAX_QUEUE_BYTES = 2 ** 20
export const MAX_QUEUE_AGE_MS = 6_000
export const SILENCE_MS = 300
export const DEADLINE_MS = 10_000
export const KEEP_MS = 120_000
export const PACE = 4
export const LAG_MS = 8_000
/** Of `resend`. */
export const SAMPLE_RATE = 16_000

/** When to try again, and when to stop. */
interface ReconnectSettings {
  /** Ceiling of the first random wait; it doubles with every failure in a row. Default 500. */
  minDelayMs?: number | undefined
  /** Highest ceiling. Default 30,000. */
  maxDelayMs?: number | undefined
  /** After more failures in a row the stream is `failed`; failures while offline do not count. Default 30. */
  maxAttempts?: number | undefined
  /** A connection must stay open this long before earlier failures are forgotten. Default 10,000. */
  stableMs?: number | undefined
  /** If the server sends nothing for this time, the connection counts as lost. Default: no limit. */
  silenceMs?: number | undefined
  /**
   * Called when the service or the network has closed a socket. False: the stream is `failed`. `closeCode` is
   * 1006 after a lost network or a refused handshake. A final code is final in any case. Default: always true.
   */
  shouldReconnect?: ((closeCode: number, closeReason: string) => boolean) | undefined
}

/** The queue for sends while the stream is not open, or while the network is too slow for them. */
export interface QueueSettings {
  /** Most bytes in the queue. Default 1 MiB. */
  maxBytes?: number | undefined
  /** A message that has waited longer than this is dropped instead of sent. Default 6,000. */
  maxAgeMs?: number | undefined
  /**
   * Which messages are dropped when the queue is full: the oldest (default, best for live audio) or the
   * newest.
   */
  drop?: 'oldest' | 'newest' | undefined
}

/** How long sound is kept that is not final yet, and how fast it is sent again. */
export interface ResendSettings {
  /** Most sound that is kept, up to 1,800,000; the oldest is dropped first. Default 120,000. */
  keepMs?: number | undefined
  /** After an outage sound is sent at most so many times faster than speech. Default 4. */
  pace?: number | undefined
  /**
   * If the codec has no `finalUntilMs`: sound that was sent longer than this before a final text is final too.
   * Default 8,000.
   */
  lagMs?: number | undefined
  /**
   * Keeps the sound on the disk of the page too, encrypted, so that it survives a crash, a reload and a closed
   * laptop: see `useRecovery`. It needs a signed-in user. Read when the stream begins. Default false.
   */
  persist?: boolean | undefined
  /** Samples a second of the sound, which is 16-bit PCM, mono. Default 16,000. */
  sampleRate?: number | undefined
}

/** How a stream changes to the next token before expiry. */
export interface SeamlessRollover {
  /** The switch waits until nothing was sent for this time, so that it cuts off no speech. Default 300. */
  silenceMs?: number | undefined
  /** The longest wait for such a silence. It also ends before the old token expires. Default 10,000. */
  deadlineMs?: number | undefined
}

/** How a codec begins each connection; see `@stagepass/react/codecs`. */
export interface StreamSetup {
  /** Messages that open every connection, before all others. */
  start?: (() => readonly SendData[]) | undefined
  /**
   * True for the message that says that the server is ready. Without this function an open socket is ready.
   */
  isReady?: ((data: ReceivedData) => boolean) | undefined
  /** How long to wait for the message of `isReady`. Default 20,000. */
  readyTimeoutMs?: number | undefined
  /**
   * True if the text of a message is final, false if it may still grow, `undefined` for a message without
   * text. `finish` waits for the last final text; without this function, for a second without a message.
   */
  isFinal?: ((data: ReceivedData) => boolean | undefined) | undefined
  /**
   * For `resend`, if the service counts time: how many ms of the sound of this connection are final with a
   * message; `undefined` if it does not say. Without it each final text counts for one utterance.
   */
  finalUntilMs?: ((data: ReceivedData) => number | undefined) | undefined
  /** For `resend`, if the service counts no time: the length in ms of the words of a final text. */
  finalDurationMs?: ((data: ReceivedData) => number | undefined) | undefined
  /** Keeps a connection awake that a proxy would cut, because nothing is sent on it. Default: none. */
  keepAlive?: KeepAlive | undefined
}

/** A heartbeat. */
export interface KeepAlive {
  /** Returns the data to send, as it goes to the socket. Called each time. */
  message: () => SendData
  /** It is sent when nothing else was sent for this time. */
  everyMs: number
}

/** The settings of a stream. A shared stream uses those of its first consumer. */
export interface StreamSettings {
  /**
   * `'on-close'` (default): the socket stays until it is closed; the next connection uses the next token.
   * `'seamless'`: the next socket is opened with the next token before expiry, and the old one is closed.
   */
  rollover?: 'on-close' | 'seamless' | SeamlessRollover | undefined
  /** The queue for sends. Default: 1 MiB, 6 s; the oldest message is dropped. */
  queue?: QueueSettings | undefined
  /**
   * Keeps the sound that is not final, and gives it to the next connection if one is lost, so that no word is
   * lost: 16-bit PCM, which `send` gets as bytes. It needs a codec that knows what is final (`isFinal`).
   * `{}` has the defaults. Default: false; in `useVoiceSession` it is on if the codec has `isFinal`.
   */
  resend?: false | ResendSettings | undefined
  /**
   * When to try again, and when to stop. Default: a random wait of up to 0.5 s, doubled up to 30 s; `failed`
   * after more than 30 failures in a row.
   */
  reconnect?: ReconnectSettings | undefined
  /** A handshake that takes longer is cancelled. Default 10,000: a browser would wait for minutes. */
  connectTimeoutMs?: number | undefined
  /**
   * In React Native: true keeps the connection in the background; without a background mode such as audio,
   * the phone may still stop the application. Default false: the connection is closed after 30 s in the
   * background, and the next one is opened at the return.
   */
  keepInBackground?: boolean | undefined
  /** How a codec begins each connection. */
  setup?: StreamSetup | undefined
}

/** The settings of a seamless rollover; empty if there are none. */
export function seamlessSettings({ rollover }: StreamSettings): SeamlessRollover {
  return typeof rollover === 'object' ? rollover : {}
}

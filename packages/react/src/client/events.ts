import type { Product } from '@stagepass/contract'
import type { VoiceErrorCode } from '../errors/clientErrors.js'
import type { LostBy } from '../errors/lostBy.js'

interface TokenEventBase {
  readonly product: Product
  /** Wall-clock milliseconds since the epoch, by the page's clock. */
  readonly at: number
}

/** What happened to a product's session token. Never the token. */
export type TokenEvent = TokenEventBase &
  (
    | {
        /** The first token, and each that replaced one ahead of its expiry or because it was refused. */
        readonly type: 'token.minted' | 'token.renewed'
        readonly generation: number
        /** What is left of its life, counted from before the request. */
        readonly expiresInMs: number
        readonly tookMs: number
      }
    | {
        /** An attempt failed and the next one is due in `retryInMs`. `held`: the old token still serves. */
        readonly type: 'token.retrying'
        readonly code: VoiceErrorCode
        readonly attempt: number
        readonly retryInMs: number
        readonly held: boolean
      }
    | {
        /** A final failure: no further request follows by itself. */
        readonly type: 'token.failed'
        readonly code: VoiceErrorCode
        readonly reqId: string | undefined
        readonly held: boolean
      }
    | {
        /** The token expired before another one came, for example in sleep. */
        readonly type: 'token.expired'
        readonly generation: number
      }
  )

/** Why data was not sent. `unsent`: a connection was lost with the data, or a part of it, in its buffer. */
export type DropReason = 'full' | 'old' | 'ended' | 'unsent'

interface StreamEventBase {
  readonly product: Product
  /** The application's name for the stream; `default` if it gave none. */
  readonly key: string
  /** Wall-clock milliseconds since the epoch, by the page's clock. */
  readonly at: number
}

/** What happened to a stream. Never a token, never an address. `generation` numbers the connections. */
export type StreamEvent = StreamEventBase &
  (
    | {
        /** A handshake begins, on the token of that generation. */
        readonly type: 'stream.connecting'
        readonly generation: number
        readonly tokenGeneration: number
      }
    | {
        /** The stream is open. `tookMs` counts from the moment at which it was wanted, or was lost. */
        readonly type: 'stream.opened'
        readonly generation: number
        readonly tookMs: number
      }
    | {
        /**
         * There is no connection, and why. The next attempt comes in `delayMs`, after `failures` failures in
         * a row.
         */
        readonly type: 'stream.reconnecting'
        readonly code: VoiceErrorCode
        /** The number that the service or the BFF gave with it, such as 401. */
        readonly status: number | undefined
        /** What ended an open connection; `undefined` if there was none. */
        readonly lostBy: LostBy | undefined
        readonly failures: number
        readonly delayMs: number
        /** The close code of the socket, if it was closed. */
        readonly closeCode: number | undefined
      }
    | {
        /**
         * What the BFF found when it tried the handshake that the browser was refused. No `code`: it was
         * accepted.
         */
        readonly type: 'stream.checked'
        readonly code: VoiceErrorCode | undefined
        readonly status: number | undefined
      }
    | { readonly type: 'stream.rolling_over'; readonly generation: number }
    | {
        readonly type: 'stream.rolled_over'
        readonly from: number
        readonly generation: number
        /** How long the next connection was ready before the switch. */
        readonly waitedMs: number
      }
    | {
        /**
         * The service refused a second session: the connection stays until its token is about to expire, and
         * is then replaced.
         */
        readonly type: 'stream.rollover_refused'
        readonly code: VoiceErrorCode | undefined
        readonly status: number | undefined
      }
    | {
        /**
         * What was not sent, and why; gathered, at most once a second. `total` counts over the stream's life.
         */
        readonly type: 'stream.dropped'
        readonly reason: DropReason
        readonly count: number
        readonly bytes: number
        readonly total: number
      }
    /** The application closed it, or its last consumer has left. */
    | { readonly type: 'stream.closed' | 'stream.released' }
    | {
        readonly type: 'stream.failed'
        readonly code: VoiceErrorCode
        readonly status: number | undefined
        readonly retryable: boolean
        readonly reqId: string | undefined
      }
  )

/** A request to the BFF failed, or its response was not valid. */
export interface RequestEvent {
  readonly type: 'request.failed'
  readonly at: number
  readonly route: string
  readonly code: VoiceErrorCode
  readonly status: number | undefined
  readonly retryable: boolean
  readonly reqId: string | undefined
  readonly requestId: string | undefined
  readonly tookMs: number
}

/** Event of the client itself: its user has changed. */
interface ClientEvent {
  /**
   * `client.reset`: the application gave another user, or called `reset()`. No event of the user before
   * follows. `client.user_changed`: the BFF found that its session belongs to another user (USER_CHANGED).
   * All streams have ended, and nothing is requested until the application gives the user or calls `reset()`.
   */
  readonly type: 'client.reset' | 'client.user_changed'
  readonly at: number
}

/**
 * Every event that `onEvent` is called with. None contains a token, a URL with a token, or text of the voice
 * service.
 */
export type VoiceEvent = TokenEvent | StreamEvent | RequestEvent | ClientEvent

/** An event without what every event of its kind has. */
export type EventBody<TEvent> = TEvent extends unknown ? Omit<TEvent, 'product' | 'key' | 'at'> : never

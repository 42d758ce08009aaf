import type { Product } from '@stagepass/contract'
import type { VoiceErrorCode } from '../errors/clientErrors.js'
import type { LostBy } from '../errors/lostBy.js'

interface TokenEventBase {
  readonly product: Product
  /** Wall-clock milliseconds since the epoch, by the page's clock. */
  readonly at: number
}

/** An event of a product's session token. Never contains the token. */
export type TokenEvent = TokenEventBase &
  (
    | {
        /** The first token, and each token that replaced one before it expired or because it was refused. */
        readonly type: 'token.minted' | 'token.renewed'
        readonly generation: number
        /** The remaining life of the token, counted from before the request. */
        readonly expiresInMs: number
        readonly tookMs: number
        /** The service's id of the request, to be quoted to its support. */
        readonly reqId: string | undefined
      }
    | {
        /** An attempt failed and the next one is due in `retryInMs`. `held`: the old token is still valid. */
        readonly type: 'token.retrying'
        readonly code: VoiceErrorCode
        readonly attempt: number
        readonly retryInMs: number
        readonly held: boolean
      }
    | {
        /** A final failure: no automatic request follows. */
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

/**
 * Why data was not sent. `unsent`: a connection was lost with the data, or a part of it, in its buffer.
 * `unheard`: with `resend`, more sound waited than is kept, or ten connections have got it and made no text of
 * it.
 */
export type DropReason = 'full' | 'old' | 'ended' | 'unsent' | 'unheard'

interface StreamEventBase {
  readonly product: Product
  /** The application's name for the stream; `default` if it gave none. */
  readonly key: string
  /** Wall-clock milliseconds since the epoch, by the page's clock. */
  readonly at: number
}

/**
 * An event of a stream. Never contains a token or an address. `generation` is the number of the connection.
 */
export type StreamEvent = StreamEventBase &
  (
    | {
        /** A handshake begins, with the token of `tokenGeneration`. */
        readonly type: 'stream.connecting'
        readonly generation: number
        readonly tokenGeneration: number
      }
    | {
        /**
         * All sessions of the account are in use: the stream waits in the queue, at `place` of `of`.
         * `undefined` while the BFF does not know the place.
         */
        readonly type: 'stream.queued'
        readonly place: number | undefined
        readonly of: number | undefined
      }
    | {
        /** The stream is open. `tookMs` counts from the moment at which it was requested, or was lost. */
        readonly type: 'stream.opened'
        readonly generation: number
        readonly tookMs: number
        /** The service's id of the request that issued the token, to be quoted to its support. */
        readonly reqId: string | undefined
      }
    | {
        /**
         * There is no connection; `code` says why. The next attempt starts in `delayMs`, after `failures`
         * failures in a row.
         */
        readonly type: 'stream.reconnecting'
        readonly code: VoiceErrorCode
        /** The status that the service or the BFF sent with the code, such as 401. */
        readonly status: number | undefined
        /** Why an open connection was lost; `undefined` if none was open. */
        readonly lostBy: LostBy | undefined
        readonly failures: number
        readonly delayMs: number
        /** The close code of the socket, if it was closed. */
        readonly closeCode: number | undefined
        /** The reason in that close: text of the service. `undefined` if it had a part of the token. */
        readonly closeReason: string | undefined
      }
    | {
        /**
         * The BFF tried the handshake that had failed in the browser. `code` is the reason that it found;
         * `undefined`: the handshake was accepted.
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
         * Data was not sent. Reported at most once a second, as a sum. `total` counts since the stream began.
         */
        readonly type: 'stream.dropped'
        readonly reason: DropReason
        readonly count: number
        readonly bytes: number
        readonly total: number
      }
    /** With `resend`: this connection gets sound again that another one has got, because it is not final. */
    | { readonly type: 'stream.resent'; readonly ms: number }
    /** The application closed the stream, or its last consumer was unmounted. */
    | { readonly type: 'stream.closed' | 'stream.released' }
    | {
        readonly type: 'stream.failed'
        readonly code: VoiceErrorCode
        readonly status: number | undefined
        readonly retryable: boolean
        readonly reqId: string | undefined
        /** As in `stream.reconnecting`. */
        readonly closeCode: number | undefined
        readonly closeReason: string | undefined
      }
  )

/** An event of a session with the option `silence` of `useVoiceSession`, for its stream. */
export type SilenceEvent = StreamEventBase &
  (
    | {
        /**
         * Silence cannot be told from speech, so the stream stays open and its minutes count. `code`: the
         * code of the option did not load. `detector`: the detector of speech did not load, or the page may
         * not use WebAssembly. `late frames`: the page is hidden and the frames of its microphone come late;
         * this ends when the page is visible.
         */
        readonly type: 'silence.unavailable'
        readonly reason: 'code' | 'detector' | 'late frames'
      }
    | {
        /** So many openings in a minute brought no text of the service: the stream stays open for `forMs`. */
        readonly type: 'silence.kept_open'
        readonly falseAlarms: number
        readonly forMs: number
      }
  )

/** An event of a stream with the option `resend: { persist: true }`. */
export interface RecoveryEvent extends StreamEventBase {
  /**
   * Sound is not kept on the disk, so a crash of the page loses what is not final; the journal in memory goes
   * on. `code`: the code of the option did not load. `user`: the application has set no user. `storage`: the
   * browser has no IndexedDB, Web Locks or encryption for this page, or refuses them, as in some private
   * windows and on plain http. `full`: the disk is full.
   */
  readonly type: 'recovery.unavailable'
  readonly reason: 'code' | 'user' | 'storage' | 'full'
}

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
   * `client.reset`: the application set another user, or called `reset()`. No event of the previous user
   * follows. `client.user_changed`: the BFF found that its session belongs to another user (USER_CHANGED).
   * All streams have ended, and nothing is requested until the application sets the user or calls `reset()`.
   */
  readonly type: 'client.reset' | 'client.user_changed'
  readonly at: number
}

/**
 * Every event that `onEvent` receives. No event contains a token or a URL with a token. The only text of the
 * voice service is `closeReason` of a stream.
 */
export type VoiceEvent = TokenEvent | StreamEvent | SilenceEvent | RecoveryEvent | RequestEvent | ClientEvent

/** An event without the fields that all events of its kind share. */
export type EventBody<TEvent> = TEvent extends unknown ? Omit<TEvent, 'product' | 'key' | 'at'> : never

import type { Product, VoiceErrorCode } from '@stagepass/contract'

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
        /** What is left of its life, counted from the moment of asking. */
        readonly expiresInMs: number
        readonly tookMs: number
        /** `tab`: another tab of this site handed it over. */
        readonly from: 'server' | 'tab'
      }
    | {
        /** An attempt failed and the next one is due in `retryInMs`. `held` tells whether the old token still serves. */
        readonly type: 'token.retrying'
        readonly code: VoiceErrorCode
        readonly attempt: number
        readonly retryInMs: number
        readonly held: boolean
      }
    | {
        /** A final answer: nothing more is asked by itself. */
        readonly type: 'token.failed'
        readonly code: VoiceErrorCode
        readonly reqId: string | undefined
        readonly held: boolean
      }
    | {
        /** The token in hand reached its end before another one came, in sleep for instance. */
        readonly type: 'token.expired'
        readonly generation: number
      }
  )

/** Why data was not sent. `unsent`: a connection died with it in its buffer, or with a part of it. */
export type DropReason = 'full' | 'old' | 'ended' | 'unsent'

interface StreamEventBase {
  readonly product: Product
  /** The application's name for the stream; `default` where it gave none. */
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
        /** There is no connection, and why; the next try comes in `delayMs`, after so many failures in a row. */
        readonly type: 'stream.reconnecting'
        readonly code: VoiceErrorCode
        /** The number that the service or the BFF gave with it, such as 401. */
        readonly status: number | undefined
        readonly failures: number
        readonly delayMs: number
        /** How the socket was closed, where it was. */
        readonly closeCode: number | undefined
      }
    | {
        /** What the BFF found when it tried the handshake that the browser was refused. `code` is left out where it was let in. */
        readonly type: 'stream.checked'
        readonly code: VoiceErrorCode | undefined
        readonly status: number | undefined
      }
    | { readonly type: 'stream.rolling_over'; readonly generation: number }
    | {
        readonly type: 'stream.rolled_over'
        readonly from: number
        readonly generation: number
        /** From the next connection's standing ready to the switch. */
        readonly waitedMs: number
      }
    | {
        /** No second session: the connection stays, and is replaced by way of the queue when its token is nearly out. */
        readonly type: 'stream.rollover_refused'
        readonly code: VoiceErrorCode | undefined
        readonly status: number | undefined
      }
    | {
        /** What was not sent, and why; gathered, at most once a second. `total` counts over the stream's life. */
        readonly type: 'stream.dropped'
        readonly reason: DropReason
        readonly count: number
        readonly bytes: number
        readonly total: number
      }
    /** The application closed it, or nobody uses it any more. */
    | { readonly type: 'stream.closed' | 'stream.released' }
    | {
        readonly type: 'stream.failed'
        readonly code: VoiceErrorCode
        readonly status: number | undefined
        readonly retryable: boolean
        readonly reqId: string | undefined
      }
  )

/** A request to the BFF came back as anything but its answer. */
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

/** `clear()` was called, here or in another tab that shares: every token is forgotten. */
export interface ClientEvent {
  readonly type: 'client.cleared'
  readonly at: number
}

/** Everything that `onEvent` may be told. No member holds a token, an address with a token, or text of the voice service. */
export type VoiceEvent = TokenEvent | StreamEvent | RequestEvent | ClientEvent

/** An event without what every event of its kind has. */
export type EventBody<TEvent> = TEvent extends unknown ? Omit<TEvent, 'product' | 'key' | 'at'> : never

import type { Product, VoiceErrorCode } from '@stagepass/contract'
import type { StreamEvent } from './stream/events.js'

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

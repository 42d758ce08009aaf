import type { Product } from '@stagepass/contract'
import type { VoiceError } from '../errors/VoiceError.js'
import type { SessionToken } from './SessionToken.js'

/** A session token and its life. */
export interface LiveToken {
  readonly product: Product
  /** Opaque: only code can read its value. It appears in no dump. */
  readonly token: SessionToken
  /** Address of the product's socket, without any credential. */
  readonly streamUrl: string
  /** For display only. The package itself uses `deadline`. */
  readonly expiresAt: Date
  /**
   * Monotonic time from which the token is no longer used: 2 s before it expires, because a sleep of up to 2
   * s may stay undetected.
   */
  readonly deadline: number
  /** Monotonic time at which the next token is requested, if the source is retained then. */
  readonly renewAt: number
  /** The requested life. */
  readonly ttlMinutes: number
  /** Counts up with every token of this source. */
  readonly generation: number
  /** @internal What the BFF said with it about the sessions of the account. Undefined: it does not share them. */
  readonly offer?: SessionOffer | undefined
  /** @internal Proves to the BFF that it minted the token, in the report of the token's used time. */
  readonly receipt?: string | undefined
}

/** The state of a source, for components. The same object until a field changes. */
export type TokenState =
  | {
      readonly status: 'pending'
      readonly live: undefined
      readonly error: null
      readonly retryAt: null
    }
  | {
      readonly status: 'success'
      readonly live: LiveToken
      /** Why the last renewal failed; the current token is still valid. */
      readonly error: VoiceError | null
      /** When the next attempt starts by itself; null if none waits. */
      readonly retryAt: Date | null
    }
  | {
      readonly status: 'error'
      readonly live: undefined
      readonly error: VoiceError
      readonly retryAt: Date | null
    }

/** There is no token yet. */
export const PENDING: TokenState = { status: 'pending', live: undefined, error: null, retryAt: null }

/** Options of a token request. */
export interface TokenOptions {
  /**
   * Life to request, in minutes. The shortest value of all callers is used. Default: the product's default.
   */
  readonly ttlMinutes?: number | undefined
}

/**
 * The tokens of one product for one user. Any number of callers share one request. While the source is
 * retained, its token is renewed before it expires. After a change of user the source returns and requests no
 * token. Independent of React and sockets.
 */
export interface TokenSource {
  readonly product: Product
  /** The current token, if it has not expired. */
  current(): LiveToken | undefined
  /** The current token, or the reason why there is none. */
  readonly state: () => TokenState
  /**
   * Returns the current token, or waits for a new one. Callers share one request. With `notGeneration` a
   * token of that generation is not accepted, and a newer one is requested at once. After a retryable failure
   * it waits for the next attempt. After a final failure it sends a new request. Rejects with a `VoiceError`.
   */
  get(
    options?: TokenOptions & { signal?: AbortSignal | undefined; notGeneration?: number | undefined },
  ): Promise<LiveToken>
  /**
   * Requests a new token now, without waiting for a backoff to end; only a Retry-After, the 5 s between two
   * renewals, and a second after another call that failed delay it. If it fails, it rejects with a
   * `VoiceError` and keeps the current token.
   */
  renew(): Promise<LiveToken>
  /** Keeps the token renewed until the returned function is called. */
  retain(options?: TokenOptions): () => void
  /** Calls the listener when `state()` has changed. Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void
}

/** The members of a response to a request for a token that are about a session, and the time of the request. */
export type SessionOffer = Readonly<Record<string, unknown>> & {
  readonly at: number
  lease?: unknown
  ticket?: unknown
}

/** Why there is no token: all sessions of the account are in use. `offer` has a place in the queue. */
export type Queued = VoiceError & { readonly offer?: SessionOffer; readonly token?: undefined }

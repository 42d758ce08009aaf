import type { Product } from '@stagepass/contract'
import type { VoiceError } from '../VoiceError.js'
import type { SessionToken } from './SessionToken.js'

/** A session token and its life. */
export interface LiveToken {
  readonly product: Product
  /** Opaque: its value is readable by code alone, and appears in no dump. */
  readonly token: SessionToken
  /** Address of the product's socket, without any credential. */
  readonly streamUrl: string
  /** For display. The code decides by `deadline`. */
  readonly expiresAt: Date
  /**
   * Monotonic time from which the token is no longer used: 2 s before it expires, because a sleep of up to 2
   * s is not noticed.
   */
  readonly deadline: number
  /** Monotonic time at which the next token is requested, if the source is retained then. */
  readonly renewAt: number
  /** The life that was asked for. */
  readonly ttlMinutes: number
  /** Counts up with every token of this source. */
  readonly generation: number
  /** @internal Proves the mint when the time that the token was used is reported. */
  readonly receipt?: string | undefined
}

/** What a component may show of a source. The same object until something changes. */
export type TokenState =
  | { readonly status: 'pending'; readonly live: undefined; readonly error: null }
  | {
      readonly status: 'success'
      readonly live: LiveToken
      /** Why the last attempt to renew failed; the current token still serves. */
      readonly error: VoiceError | null
    }
  | { readonly status: 'error'; readonly live: undefined; readonly error: VoiceError }

/** There is no token yet. */
export const PENDING: TokenState = { status: 'pending', live: undefined, error: null }

/** What is asked of a source. */
export interface TokenOptions {
  /**
   * Life to ask for, in minutes. The shortest value of all callers counts; without any, the product's
   * default.
   */
  readonly ttlMinutes?: number | undefined
}

/**
 * The tokens of one product for one user: one request for any number of callers, renewed before expiry while
 * the source is retained. After its user has left it gives no token and requests none. Knows no React and no
 * socket.
 */
export interface TokenSource {
  readonly product: Product
  /** The current token, if it has not expired. */
  current(): LiveToken | undefined
  /** The same, with why there is none. */
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
   * Requests a new token now, without waiting for a backoff to end; only a Retry-After and the 5 s between
   * two renewals delay it. Rejects with a `VoiceError`, and keeps the current token then.
   */
  renew(): Promise<LiveToken>
  /** Keeps the token renewed until the returned undo is called. */
  retain(options?: TokenOptions): () => void
  /** Calls back when `state()` has changed. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
}

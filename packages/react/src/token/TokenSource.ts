import type { Product } from '@stagepass/contract'
import type { VoiceError } from '../VoiceError.js'
import type { SessionToken } from './SessionToken.js'

/** A session token with what is known of its life. */
export interface LiveToken {
  readonly product: Product
  /** Opaque: its value is readable by code alone, and appears in no dump. */
  readonly token: SessionToken
  /** Address of the product's socket, without any credential. */
  readonly streamUrl: string
  /** For display. Decisions are taken by `deadline`. */
  readonly expiresAt: Date
  /** The platform's monotonic time at which the token is used no more: 2 s before it dies, for a sleep of up to so long goes unnoticed. */
  readonly deadline: number
  /** Counts up with every token of this source. */
  readonly generation: number
}

/** What a component may show of a source. The same object until something changes. */
export type TokenState =
  | { readonly status: 'pending'; readonly live: undefined; readonly error: null }
  | {
      readonly status: 'success'
      readonly live: LiveToken
      /** Why the last attempt to renew failed; the token in hand still serves. */
      readonly error: VoiceError | null
      /** The platform's monotonic time at which the next token is asked for, while anyone retains this one. */
      readonly renewAt: number
    }
  | { readonly status: 'error'; readonly live: undefined; readonly error: VoiceError }

/** What a user of a source wishes. */
export interface TokenWish {
  /** Life to ask for, in minutes. Where wishes differ the shortest one wins; without any, the product's default. */
  readonly ttlMinutes?: number | undefined
}

/**
 * The tokens of one product: one fetch for any number of users, renewed ahead of expiry while anyone retains it. Knows no React and no
 * socket.
 */
export interface TokenSource {
  readonly product: Product
  /** The token in hand, if it still lives. */
  current(): LiveToken | undefined
  /** The same, with why there is none. */
  readonly state: () => TokenState
  /**
   * A live token: the one in hand, or a new one. Callers share one request. `notGeneration` refuses that token (a socket was refused with
   * it) and asks for a newer one at once. After a failure that is worth a retry it waits for the next attempt; after a final one it asks
   * anew. Rejects with a `VoiceError`.
   */
  get(
    options?: TokenWish & { signal?: AbortSignal | undefined; notGeneration?: number | undefined },
  ): Promise<LiveToken>
  /**
   * Asks for a new token now, without waiting for a backoff to end; only a Retry-After and the 5 s between two renewals hold it back. Rejects
   * with a `VoiceError`; the token in hand is kept in that case.
   */
  renew(): Promise<LiveToken>
  /** Keeps the token renewed until the returned undo is called. */
  retain(wish?: TokenWish): () => void
  /** Calls back when `state()` has changed. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
  /** Forgets the token and what is known of failures; for a change of user. Those who retain it are served a new one. */
  clear(): void
}

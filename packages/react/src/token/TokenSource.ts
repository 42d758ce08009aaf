import type { Product } from '@stagepass/contract'
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
  /** The platform's monotonic time at which the token dies. */
  readonly deadline: number
  /** Counts up with every token of this source. */
  readonly generation: number
}

/**
 * The tokens of one product: one fetch for any number of users, renewed ahead of expiry while anyone retains it. Knows no React and no
 * socket.
 */
export interface TokenSource {
  readonly product: Product
  /** The token in hand, if it still lives. */
  current(): LiveToken | undefined
  /**
   * A live token: the one in hand, or a new one. Callers share one request. `notGeneration` refuses that token (a socket was refused with
   * it) and asks for a newer one. Rejects with a `VoiceError`.
   */
  get(options?: { signal?: AbortSignal | undefined; notGeneration?: number | undefined }): Promise<LiveToken>
  /** Keeps the token renewed until the returned undo is called. */
  retain(): () => void
  /** Calls back when the token, or the error of its renewal, has changed. Returns its undo. */
  subscribe(listener: () => void): () => void
}

import type { LiveToken, TokenSource } from './TokenSource.js'
import type { Transition } from './transitions.js'

/** The source for this package. */
export interface OwnTokenSource extends TokenSource {
  /**
   * `accept`: header of a request for a token. With `lease=1` it asks for a session too, and may reject with
   * `Queued`.
   */
  get(
    options?: Parameters<TokenSource['get']>[0] & { readonly accept?: string | undefined },
  ): Promise<LiveToken>
  /** Changes the state from outside. */
  readonly run: (transition: Transition) => void
  /** Ends a backoff, as `renew` does. */
  readonly retryNow: () => void
}

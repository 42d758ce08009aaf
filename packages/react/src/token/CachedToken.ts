import type { Product } from '@stagepass/contract'
import type { SessionToken } from './SessionToken.js'
import type { TokenSource } from './TokenSource.js'

/**
 * A session token as the query cache holds it: a view of its source. The secret is not in it, so that what is dehydrated, persisted, copied
 * or shown by developer tools has none; and a token that has died is not handed out by a cache that was not told.
 */
export class CachedToken {
  readonly product: Product
  readonly #source: TokenSource

  constructor(source: TokenSource) {
    this.product = source.product
    this.#source = source
  }

  /** The live token; undefined once it has died. */
  get token(): SessionToken | undefined {
    return this.#source.current()?.token
  }

  /** When it dies; undefined once it has. */
  get expiresAt(): Date | undefined {
    return this.#source.current()?.expiresAt
  }
}

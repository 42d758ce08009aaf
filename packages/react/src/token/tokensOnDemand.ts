import type { Product } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import type { SessionToken } from './SessionToken.js'
import { tokensOf } from './tokensOf.js'
import type { TokenSource, TokenOptions } from './TokenSource.js'

/*
 * What the client itself does with tokens. It imports this file on demand, so a page that only lists meetings
 * does not contain the code of tokens. Pages with useSessionToken or useStream have that code from the start.
 */

export { tokensOf }

/**
 * The session token in the query cache: a view of its source, without the secret. So dehydrated, persisted or
 * copied cache data has no secret, and a cache that was not updated does not return an expired token.
 */
export class CachedToken {
  readonly product: Product
  readonly #source: TokenSource

  constructor(source: TokenSource) {
    this.product = source.product
    this.#source = source
  }

  /** The live token; undefined once it has expired. */
  get token(): SessionToken | undefined {
    return this.#source.current()?.token
  }

  /** When it expires; undefined once it has. */
  get expiresAt(): Date | undefined {
    return this.#source.current()?.expiresAt
  }

  /** @internal Monotonic time at which the next token is requested; undefined without a token. */
  renewAt(): number | undefined {
    const state = this.#source.state()
    return state.status === 'success' ? state.renewAt : undefined
  }
}

/** Gets the token from its source, for the query cache. */
export async function fetchCachedToken(
  client: Client,
  product: Product,
  options: TokenOptions & { readonly signal: AbortSignal },
): Promise<CachedToken> {
  const source = tokensOf(client).given(product)
  await source.get(options)
  return new CachedToken(source)
}

import { type Product, PRODUCT_NAMES } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { VoiceError } from '../VoiceError.js'
import { createTokenSource } from './createTokenSource.js'
import { createMint, type Mint } from './createMint.js'
import type { TokenSource } from './TokenSource.js'

/** The token sources of a client, one for each product. */
export interface Tokens {
  /** The source of a product's tokens; made on the first call. */
  readonly source: (product: Product) => TokenSource
}

function createTokens(client: Client): Tokens {
  const { url, user, platform, emit } = client
  const sources = new Map<Product, TokenSource>()
  const mintAlone = createMint(client)
  // S36: a client at module level serves all visitors of a server.
  const signal = platform.isServer
    ? AbortSignal.abort(new VoiceError('ABORTED', { retryable: false }))
    : client.signal
  const isShared = client.shareAcrossTabs && typeof user === 'string' && !signal.aborted
  let share: Promise<Mint> | undefined

  /** A chunk of its own, because most applications do not use it. */
  function tabShare(): Promise<Mint> {
    share ??= import('./createTabShare.js').then(
      ({ createTabShare }) =>
        createTabShare({
          name: JSON.stringify(['stagepass', url, user]),
          mint: mintAlone,
          tokens: source,
          platform,
          signal,
        }),
      () => mintAlone,
    )
    return share
  }

  const mint: Mint = isShared ? async (product, options) => (await tabShare())(product, options) : mintAlone

  // Before the first token request, so that the chunk causes no extra round trip.
  if (isShared) void tabShare()

  // S39. A page that is left may come back from the back-forward cache, for another user. Its first event is
  // then `resume`, not `pageshow`; so the tokens are wiped before. The sources listen before the streams.
  if (!signal.aborted) {
    const setAway = (isAway: boolean): void => sources.forEach((source) => source.setAway(isAway))
    const undos = [
      platform.onSuspend((reason) => (reason === 'pagehide' ? setAway(true) : undefined)),
      platform.onWake(() => setAway(false)),
    ]
    signal.addEventListener('abort', () => undos.forEach((undo) => undo()))
  }

  function source(product: Product): TokenSource {
    let found = sources.get(product)
    if (!found) {
      if (!PRODUCT_NAMES.includes(product)) {
        throw new Error(
          `Failed to find the product "${product as string}". Use one of ${PRODUCT_NAMES.join(', ')}.`,
        )
      }
      found = createTokenSource({ product, mint, platform, emit, signal })
      sources.set(product, found)
    }
    return found
  }

  return { source }
}

/** The tokens of a client. */
export function tokensOf(client: Client): Tokens {
  return client.part(createTokens)
}

/**
 * The source of a product's tokens for the present user, for code outside React. The hooks use the same one.
 *
 * @example const { token } = await tokenSource(voice, 'stt').get()
 */
export function tokenSource(client: Client, product: Product): TokenSource {
  return tokensOf(client).source(product)
}

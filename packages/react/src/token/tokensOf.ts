import { type Product, PRODUCT_NAMES } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import type { TabShare } from './createTabShare.js'
import { createTokenSource } from './createTokenSource.js'
import { createMint, type Mint } from './createMint.js'
import type { TokenSource } from './TokenSource.js'

/** The token sources of a client, one for each product. */
export interface Tokens {
  /** The source of a product's tokens; made on the first call. */
  readonly source: (product: Product) => TokenSource
  /** Forgets every token of the tabs that share with this one. */
  readonly clearOtherTabs: () => Promise<void>
}

function createTokens(client: Client): Tokens {
  const { url, request, platform, emit, sessionId, shareAcrossTabs } = client
  const sources = new Map<Product, TokenSource>()
  const mintAlone = createMint(request, platform, sessionId)
  let share: Promise<TabShare> | undefined

  /** A chunk of its own, because most applications do not use it. */
  function tabShare(): Promise<TabShare> {
    share ??= import('./createTabShare.js').then(
      ({ createTabShare }) =>
        createTabShare({
          name: `stagepass ${url} ${String(shareAcrossTabs)}`,
          mint: mintAlone,
          tokens: source,
          platform,
          onClear: () => client.forget(true),
        }),
      () => ({ mint: mintAlone, clear() {} }),
    )
    return share
  }

  const mint: Mint = shareAcrossTabs
    ? async (product, options) => (await tabShare()).mint(product, options)
    : mintAlone

  client.onForget((isTold) => {
    for (const source of sources.values()) source.clear()
    if (!isTold && shareAcrossTabs) void clearOtherTabs()
  })
  // Before the first token request, so that the chunk causes no extra round trip.
  if (shareAcrossTabs && typeof window !== 'undefined') void tabShare()

  function source(product: Product): TokenSource {
    let found = sources.get(product)
    if (!found) {
      if (!PRODUCT_NAMES.includes(product)) {
        throw new Error(
          `Failed to find the product "${product as string}". Use one of ${PRODUCT_NAMES.join(', ')}.`,
        )
      }
      found = createTokenSource({ product, mint, platform, emit })
      sources.set(product, found)
    }
    return found
  }

  async function clearOtherTabs(): Promise<void> {
    const tabs = await tabShare()
    tabs.clear()
  }

  return { source, clearOtherTabs }
}

/** The tokens of a client. */
export function tokensOf(client: Client): Tokens {
  return client.part(createTokens)
}

/**
 * The source of a product's tokens, for code outside React. The hooks use the same one.
 *
 * @example const { token } = await tokenSource(voice, 'stt').get()
 */
export function tokenSource(client: Client, product: Product): TokenSource {
  return tokensOf(client).source(product)
}

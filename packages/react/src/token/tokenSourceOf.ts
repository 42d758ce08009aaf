import type { Product } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { checkProduct } from './checkProduct.js'
import { createTokenSlot } from './createTokenSlot.js'
import { loadTokens } from './loadTokens.js'
import { PENDING, type TokenSource } from './TokenSource.js'

/*
 * The source of a product's tokens for code outside of components. Its code loads when it is first needed, so
 * a page that only lists meetings does not contain it. Pages with useSessionToken or useStream have it
 * already.
 */

function createSources() {
  return new Map<Product, TokenSource>()
}

export function tokenSourceOf(client: Client, product: Product): TokenSource {
  checkProduct(product)
  const sources = client.part(createSources)
  const found = sources.get(product) ?? createLazySource(client, product)
  sources.set(product, found)
  return found
}

function createLazySource(client: Client, product: Product): TokenSource {
  const slot = client.part(createTokenSlot)
  const present = (): TokenSource | undefined => slot.source?.(product)
  const load = async (): Promise<TokenSource> =>
    present() ?? (await loadTokens()).tokensOf(client).given(product)

  /** Begins when the code is here, unless it was undone before. */
  function begin(start: (source: TokenSource) => () => void): () => void {
    const source = present()
    if (source) return start(source)
    let undo: (() => void) | undefined
    let isOver = false
    load().then(
      (loaded) => {
        if (!isOver) undo = start(loaded)
      },
      () => {},
    )
    return () => {
      isOver = true
      undo?.()
    }
  }

  return {
    product,
    current: () => present()?.current(),
    state: () => present()?.state() ?? PENDING,
    get: async (options) => (await load()).get(options),
    renew: async () => (await load()).renew(),
    retain: (options) => begin((loaded) => loaded.retain(options)),
    subscribe: (listener) =>
      begin((loaded) => {
        if (loaded.state() !== PENDING) listener()
        return loaded.subscribe(listener)
      }),
  }
}

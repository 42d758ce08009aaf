import type { Product } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { VoiceError } from '../VoiceError.js'
import { createUsageSlot } from './createUsageSlot.js'
import { createTokenSlot } from './createTokenSlot.js'
import { createTokenSource } from './createTokenSource.js'
import { createMint, type Mint } from './createMint.js'
import { checkProduct } from './checkProduct.js'
import type { OwnTokenSource } from './TokenSource.js'

/** The token sources of a client, one for each product. */
export interface Tokens {
  /** The source of a product's tokens; made on the first call. */
  readonly source: (product: Product) => OwnTokenSource
}

function createTokens(client: Client): Tokens {
  const { url, user, platform, emit } = client
  const sources = new Map<Product, OwnTokenSource>()
  const mintAlone = createMint(client)
  // SECURITY.md, S36: a client at module level serves all visitors of a server.
  const signal = platform.isServer
    ? AbortSignal.abort(new VoiceError('ABORTED', { retryable: false }))
    : client.signal
  const isShared = client.shareAcrossTabs && typeof user === 'string' && !signal.aborted
  let share: Promise<Mint> | undefined

  /** A chunk of its own, because most applications do not use it. */
  function tabShare(): Promise<Mint> {
    share ??= import('./createTabShare.js').then(
      // Not destructured: Vite would add code that keeps the names.
      (code) =>
        code.createTabShare({
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

  // SECURITY.md, S39: A page that is left may come back from the back-forward cache, for another user. Its
  // first event is then `resume`, not `pageshow`; so the tokens are wiped before. The sources listen before
  // the streams.
  if (!signal.aborted) {
    const setAway = (isAway: boolean): void => sources.forEach((source) => source.setAway(isAway))
    const undos = [
      platform.onSuspend((reason) => (reason === 'pagehide' ? setAway(true) : undefined)),
      platform.onWake(() => setAway(false)),
    ]
    signal.addEventListener('abort', () => undos.forEach((undo) => undo()))
  }

  function source(product: Product): OwnTokenSource {
    let found = sources.get(product)
    if (!found) {
      checkProduct(product)
      found = createTokenSource({
        product,
        mint,
        platform,
        emit,
        signal,
        docsUrl: client.docsUrl,
        onToken: client.part(createUsageSlot).tokens.notify,
      })
      sources.set(product, found)
    }
    return found
  }

  client.part(createTokenSlot).source = source
  return { source }
}

/** The tokens of a client. */
export function tokensOf(client: Client): Tokens {
  return client.part(createTokens)
}

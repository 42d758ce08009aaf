import type { Product } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { VoiceError } from '../VoiceError.js'
import { createUsageSlot } from './createUsageSlot.js'
import { createTokenSlot } from './createTokenSlot.js'
import { createTokenSource } from './createTokenSource.js'
import { createMint } from './createMint.js'
import { checkProduct } from './checkProduct.js'
import type { LiveToken, OwnTokenSource, TokenSource } from './TokenSource.js'

/** The token sources of a client, one for each product. */
export interface Tokens {
  /** The source of a product's tokens; made on the first call. */
  readonly source: (product: Product) => OwnTokenSource
  /** The same for the application, which may use what it gets: no token of it is reported as unused. */
  readonly given: (product: Product) => TokenSource
}

function createTokens(client: Client): Tokens {
  const { platform, emit } = client
  const sources = new Map<Product, OwnTokenSource>()
  const given = new Map<Product, TokenSource>()
  const usage = client.part(createUsageSlot)
  const mint = createMint(client)
  // SECURITY.md, S36: a client at module level serves all visitors of a server.
  const signal = platform.isServer
    ? AbortSignal.abort(new VoiceError('ABORTED', { retryable: false }))
    : client.signal
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
        onToken: usage.tokens.notify,
      })
      sources.set(product, found)
      given.set(product, giving(found, usage.given))
    }
    return found
  }

  function givenSource(product: Product): TokenSource {
    source(product)
    return given.get(product) as TokenSource
  }

  client.part(createTokenSlot).source = givenSource
  return { source, given: givenSource }
}

function giving(source: OwnTokenSource, given: WeakSet<LiveToken>): TokenSource {
  const give = <TLive extends LiveToken | undefined>(live: TLive): TLive => {
    if (live) given.add(live)
    return live
  }
  return {
    ...source,
    current: () => give(source.current()),
    state() {
      const state = source.state()
      give(state.live)
      return state
    },
    get: async (options) => give(await source.get(options)),
    renew: async () => give(await source.renew()),
  }
}

/** The tokens of a client. */
export function tokensOf(client: Client): Tokens {
  return client.part(createTokens)
}

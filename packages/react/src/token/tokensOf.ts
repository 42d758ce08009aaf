import { type Product, PRODUCT_NAMES } from '@stagepass/contract'
import type { Client } from '../identity/Client.js'
import { perClient } from '../identity/perClient.js'
import { clientOf, type VoiceClient } from '../client/createVoiceClient.js'
import { mistake } from '../errors/mistake.js'
import { VoiceError } from '../errors/VoiceError.js'
import { createMint } from './createMint.js'
import { createTokenSource } from './createTokenSource.js'
import type { OwnTokenSource } from './OwnTokenSource.js'
import type { LiveToken, TokenSource } from './TokenSource.js'
import { usageOf } from '../usage/usageOf.js'

interface ProductTokens {
  readonly own: OwnTokenSource
  readonly forApplication: TokenSource
}

const sourcesOf = perClient(() => new Map<Product, ProductTokens>())

/**
 * The tokens of a product, for this package. The source is created on the first call. Throws if there is no
 * such product.
 */
export function tokensOf(client: Client, product: Product): OwnTokenSource {
  return find(client, product).own
}

/** The same for the application. It may use these tokens itself, so they are never reported as unused. */
export function applicationTokensOf(client: Client, product: Product): TokenSource {
  return find(client, product).forApplication
}

/**
 * The token source of a product for the current user, for code outside of components. The hooks use the same
 * tokens. Throws if there is no such product.
 *
 * @example const { token, streamUrl } = await tokenSource(voice, 'stt').get()
 */
export function tokenSource(voice: VoiceClient, product: Product): TokenSource {
  return applicationTokensOf(clientOf(voice), product)
}

function find(client: Client, product: Product): ProductTokens {
  const sources = sourcesOf(client)
  const found = sources.get(product) ?? create(client, product)
  sources.set(product, found)
  return found
}

function create(client: Client, product: Product): ProductTokens {
  if (!PRODUCT_NAMES.includes(product))
    throw mistake('noProduct', `"${product as string}". Use one of ${PRODUCT_NAMES.join(', ')}`)
  const usage = usageOf(client)
  // security.md, S36: a client at module level serves all visitors of a server.
  const signal = client.platform.isServer
    ? AbortSignal.abort(new VoiceError('ABORTED', { retryable: false }))
    : client.signal
  const mint = createMint(client)
  const own = createTokenSource({ ...client, product, mint, signal, usage })
  return { own, forApplication: markTokens(own, usage.markGiven) }
}

function markTokens(source: TokenSource, mark: (token: LiveToken) => void): TokenSource {
  const marked = <TLive extends LiveToken | undefined>(live: TLive): TLive => {
    if (live) mark(live)
    return live
  }
  return {
    ...source,
    current: () => marked(source.current()),
    state() {
      const state = source.state()
      marked(state.live)
      return state
    },
    get: async (options) => marked(await source.get(options)),
    renew: async () => marked(await source.renew()),
  }
}

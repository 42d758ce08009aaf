import type { Product } from '@stagepass/contract'
import { PRODUCT_NAMES } from '@stagepass/contract'
import type { Bff } from './bff/Bff.js'
import type { HeadersProvider } from './bff/createRequest.js'
import { createRequest } from './bff/createRequest.js'
import { browserPlatform } from './browserPlatform.js'
import type { VoiceEvent } from './events.js'
import { meetingOptionsOf } from './meetings/meetingOptions.js'
import { meetingsOptionsOf } from './meetings/meetingsOptions.js'
import { meetingsQuery } from './meetings/meetingsQuery.js'
import type { Platform } from './platform.js'
import { sleepAware } from './sleepAware.js'
import type { OpenSocket } from './stream/Socket.js'
import { tagsOptionsOf } from './tags/tagsOptions.js'
import { createTokenSource } from './token/createTokenSource.js'
import type { TabShare } from './token/createTabShare.js'
import type { Mint } from './token/mintToken.js'
import { createMint } from './token/mintToken.js'
import { sessionTokenOptionsOf } from './token/sessionTokenOptions.js'
import type { TokenSource } from './token/TokenSource.js'
import type { VoiceClient } from './VoiceClient.js'

export interface VoiceClientOptions {
  /** Where the BFF is mounted: a path of this site such as `/api/voice`, or an absolute address. */
  readonly url: string
  /** Headers for each request, or an async function that is asked before each: the place for the application's own login. */
  readonly headers?: HeadersProvider | undefined
  /** Default `same-origin`. `include` sends cookies to a BFF on another origin, which must list this one in `allowedOrigins`. */
  readonly credentials?: RequestCredentials | undefined
  /** Default: the global one, looked up at each request. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** When a request is given up and counts as a network failure. Default 12,000: the BFF's own deadline of 10 s, and the way. */
  readonly timeoutMs?: number | undefined
  /** Sent as `session_id` with each token request, at most 255 characters, to find the session in the service's records. */
  readonly sessionId?: string | undefined
  /**
   * One token for all tabs of this site: Web Locks elect the tab that asks, a BroadcastChannel hands the token over, nothing is stored. Where
   * a browser lacks either, each tab asks for itself. Only tabs with the same word share: where two users can be signed in side by side, give
   * the user's id. Default: off.
   */
  readonly shareAcrossTabs?: boolean | string | undefined
  /** Told of every event. Masked: no token is in any of them. What it throws is reported and harms nothing. */
  readonly onEvent?: ((event: VoiceEvent) => void) | undefined
  /** Time, chance and surroundings. Default: the browser's. */
  readonly platform?: Platform | undefined
  /** How a connection is made. Default: react-use-websocket in a hidden component. For tests. */
  readonly openSocket?: OpenSocket | undefined
}

/**
 * The voice client of an application: create one, outside of components, and give it to `VoiceProvider`. It asks for nothing by itself.
 * Throws where an option cannot be right.
 *
 * @example const voice = createVoiceClient({ url: '/api/voice' })
 */
export function createVoiceClient(options: VoiceClientOptions): VoiceClient {
  if (typeof options.url !== 'string' || options.url === '') {
    throw new Error(
      "Failed to create the voice client: url is empty. Give the path where the BFF is mounted, for example createVoiceClient({ url: '/api/voice' }).",
    )
  }
  const url = options.url.replace(/\/+$/, '')
  const platform = sleepAware(options.platform ?? browserPlatform())
  const listeners = new Set<(event: VoiceEvent) => void>(options.onEvent ? [options.onEvent] : [])
  const sources = new Map<Product, TokenSource>()

  function emit(event: VoiceEvent): void {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        // To the page's own error handler where there is one; a server has none, and must not die of a listener.
        globalThis.reportError?.(error)
      }
    }
  }

  const request = createRequest({
    url,
    headers: options.headers,
    credentials: options.credentials ?? 'same-origin',
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: options.timeoutMs ?? 12_000,
    platform,
    emit,
  })
  const bff: Bff = { url, request, platform }
  const mintAlone = createMint(request, platform, options.sessionId)
  let share: Promise<TabShare> | undefined

  /** A chunk of its own, for most applications do without. */
  function tabShare(): Promise<TabShare> {
    share ??= import('./token/createTabShare.js').then(
      ({ createTabShare }) =>
        createTabShare({
          name: `stagepass ${url} ${String(options.shareAcrossTabs)}`,
          mint: mintAlone,
          tokens,
          platform,
          onClear: clearHere,
        }),
      () => ({ mint: mintAlone, clear() {} }),
    )
    return share
  }

  const mint: Mint = options.shareAcrossTabs
    ? async (product, wish) => (await tabShare()).mint(product, wish)
    : mintAlone

  // Ahead of the first token, so that the chunk costs it no round trip.
  if (options.shareAcrossTabs && typeof window !== 'undefined') void tabShare()

  function tokens(product: Product): TokenSource {
    let source = sources.get(product)
    if (!source) {
      if (!PRODUCT_NAMES.includes(product)) {
        throw new Error(
          `Failed to find the product "${product as string}": there is none of that name. Use one of ${PRODUCT_NAMES.join(', ')}.`,
        )
      }
      source = createTokenSource({ product, mint, platform, emit })
      sources.set(product, source)
    }
    return source
  }

  function clearHere(): void {
    for (const source of sources.values()) source.clear()
    emit({ type: 'client.cleared', at: platform.wallNow() })
  }

  const parts = new Map<unknown, unknown>()

  const client: VoiceClient = {
    ...bff,
    tokens,
    emit,
    openSocket: options.openSocket,
    part<TPart>(create: (client: VoiceClient) => TPart) {
      if (!parts.has(create)) parts.set(create, create(client))
      // What is kept under a function is what that function returned.
      return parts.get(create) as TPart
    },
    sessionTokenOptions: (product, wish = {}) => sessionTokenOptionsOf(bff, tokens(product), wish),
    meetingsOptions: (filters = {}) => meetingsOptionsOf(bff, meetingsQuery(filters)),
    meetingOptions: (id, { fields } = {}) => meetingOptionsOf(bff, id, fields),
    tagsOptions: () => tagsOptionsOf(bff),
    subscribe(listener) {
      const mine = (event: VoiceEvent): void => listener(event)
      listeners.add(mine)
      return () => {
        listeners.delete(mine)
      }
    },
    clear() {
      clearHere()
      if (options.shareAcrossTabs) void tabShare().then((tabs) => tabs.clear())
    },
  }
  return client
}

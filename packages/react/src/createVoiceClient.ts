import type { Product } from '@stagepass/contract'
import { createRequest } from './request/createRequest.js'
import { browserPlatform } from './platform/browserPlatform.js'
import { createListeners } from './platform/createListeners.js'
import type { Client } from './client/Client.js'
import type { VoiceEvent } from './client/events.js'
import type { HeadersProvider } from './client/request.js'
import type { MeetingFieldName, MeetingWith } from './meetings/meetingFields.js'
import { type MeetingOptions, meetingOptionsOf } from './meetings/meetingOptions.js'
import { type MeetingsOptions, meetingsOptionsOf } from './meetings/meetingsOptions.js'
import { type MeetingsFilters, meetingsParams } from './meetings/meetingsParams.js'
import type { Platform } from './platform/platform.js'
import { sleepAware } from './platform/sleepAware.js'
import type { OpenSocket } from './platform/socket.js'
import { type TagsOptions, tagsOptionsOf } from './meetings/tagsOptions.js'
import { loadTokens, type SessionTokenOptions, sessionTokenOptionsOf } from './token/sessionTokenOptions.js'
import type { TokenWish } from './token/TokenSource.js'

export interface VoiceClientOptions {
  /** Where the BFF is mounted: a path of this site such as `/api/voice`, or an absolute address. */
  readonly url: string
  /**
   * Headers for each request, or an async function that is called before each: the place for the
   * application's own login.
   */
  readonly headers?: HeadersProvider | undefined
  /** Default `same-origin`. `include` sends cookies to a BFF on another origin, which must list this one in `allowedOrigins`. */
  readonly credentials?: RequestCredentials | undefined
  /** Default: the global one, looked up at each request. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * After this time a request is aborted and counts as a network failure. Default 12,000: the BFF's own limit
   * of 10 s, and the way.
   */
  readonly timeoutMs?: number | undefined
  /** Sent as `session_id` with each token request, at most 255 characters, to find the session in the service's records. */
  readonly sessionId?: string | undefined
  /**
   * Shares one token among all tabs of this site. One tab asks (Web Locks), and the others get the token over
   * a BroadcastChannel. Nothing is stored. If a browser has neither, each tab asks for itself. Only tabs with
   * the same value share: pass the user's id if two users can be signed in side by side. Default: off.
   */
  readonly shareAcrossTabs?: boolean | string | undefined
  /**
   * Called with every event. No event contains a token. An exception in the callback is reported and has no
   * other effect.
   */
  readonly onEvent?: ((event: VoiceEvent) => void) | undefined
  /** Clock, timers, randomness and page events. Default: the browser's. */
  readonly platform?: Platform | undefined
  /** How a connection is made. Default: react-use-websocket in a hidden component. For tests. */
  readonly openSocket?: OpenSocket | undefined
  /** @internal What `part` makes in place of a part. For tests. */
  readonly parts?: ReadonlyMap<unknown, (client: Client) => unknown> | undefined
}

/**
 * What the hooks work with. Made by `createVoiceClient`, given to `VoiceProvider`.
 *
 * The options are TanStack Query's: pass them to `useQuery`, `useSuspenseInfiniteQuery`, `prefetchInfiniteQuery`, a router's loader, or
 * `setQueryData(options.queryKey, …)`.
 */
export interface VoiceClient extends Client {
  /** The token that `useSessionToken` and the streams use, by way of the query cache; the secret itself is not in the cache. */
  sessionTokenOptions(product: Product, wish?: TokenWish): SessionTokenOptions
  /** The list, as `useInfiniteQuery` takes it. */
  meetingsOptions<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
    filters?: MeetingsFilters<TFields>,
  ): MeetingsOptions<MeetingWith<TFields>>
  /** One meeting. While it is processed the query is pending, with `failureReason`, and polls at the server's pace. */
  meetingOptions<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
    id: string,
    options?: { readonly fields?: TFields },
  ): MeetingOptions<MeetingWith<TFields>>
  tagsOptions(): TagsOptions
  /**
   * Forgets every token, and replaces every live stream: for a change of user. The query cache is the
   * application's to clear (`queryClient.clear()`).
   */
  clear(): void
}

/**
 * The voice client of an application: create one, outside of components, and give it to `VoiceProvider`. It
 * sends nothing by itself. Throws if an option is invalid.
 *
 * @example const voice = createVoiceClient({ url: '/api/voice' })
 */
export function createVoiceClient(options: VoiceClientOptions): VoiceClient {
  if (typeof options.url !== 'string' || options.url === '') {
    throw new Error(
      "Failed to create the voice client: url is empty. Give the path of the BFF, such as '/api/voice'.",
    )
  }
  const url = options.url.replace(/\/+$/, '')
  const platform = sleepAware(options.platform ?? browserPlatform())
  const listeners = new Set<(event: VoiceEvent) => void>(options.onEvent ? [options.onEvent] : [])

  function emit(event: VoiceEvent): void {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        // Goes to the page's error handler. A server has none, and must not stop because of a listener.
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
  const parts = new Map<unknown, unknown>()
  const forgetting = createListeners<[isTold: boolean]>()

  const client: Client = {
    url,
    request,
    platform,
    emit,
    forget(isTold) {
      forgetting.notify(isTold)
      emit({ type: 'client.cleared', at: platform.wallNow() })
    },
    onForget: forgetting.subscribe,
    sessionId: options.sessionId,
    shareAcrossTabs: options.shareAcrossTabs ?? false,
    openSocket: options.openSocket,
    part<TPart>(create: (client: Client) => TPart) {
      if (!parts.has(create)) parts.set(create, (options.parts?.get(create) ?? create)(client))
      // What is kept under a function is what that function returned.
      return parts.get(create) as TPart
    },
    subscribe(listener) {
      const mine = (event: VoiceEvent): void => listener(event)
      listeners.add(mine)
      return () => {
        listeners.delete(mine)
      }
    },
  }
  // Before the first token request, so that the chunk causes no extra round trip.
  if (client.shareAcrossTabs && typeof window !== 'undefined') {
    loadTokens().then((tokens) => tokens.shareTokens(client), ignore)
  }

  return {
    ...client,
    clear() {
      const isLoaded = !forgetting.isEmpty()
      client.forget(false)
      // The other tabs forget too, even if this page has not had the code of tokens yet.
      if (client.shareAcrossTabs && !isLoaded) {
        loadTokens().then((tokens) => tokens.clearOtherTabs(client), ignore)
      }
    },
    sessionTokenOptions: (product, wish = {}) => sessionTokenOptionsOf(client, product, wish),
    meetingsOptions: (filters = {}) => meetingsOptionsOf(client, meetingsParams(filters)),
    meetingOptions: (id, { fields } = {}) => meetingOptionsOf(client, id, fields),
    tagsOptions: () => tagsOptionsOf(client),
  }
}

/** Without its code, on a page that has lost its network, this page does not share. */
function ignore(): void {}

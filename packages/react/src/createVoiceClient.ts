import type { Product } from '@stagepass/contract'
import { createRequest } from './request/createRequest.js'
import { browserPlatform } from './platform/browserPlatform.js'
import type { Client, Identity, SessionId } from './client/Client.js'
import { createUsers, type Users } from './client/createUsers.js'
import type { VoiceEvent } from './client/events.js'
import type { HeadersProvider } from './client/request.js'
import type { MeetingFieldName, MeetingWith } from './meetings/meetingFields.js'
import { type MeetingOptions, meetingOptionsOf } from './meetings/meetingOptions.js'
import { type MeetingsOptions, meetingsOptionsOf } from './meetings/meetingsOptions.js'
import { type MeetingsFilters, meetingsParams } from './meetings/meetingsParams.js'
import type { Platform } from './platform/platform.js'
import { sleepAware } from './platform/sleepAware.js'
import type { OpenSocket } from './platform/socket.js'
import { VoiceError } from './VoiceError.js'
import { type TagsOptions, tagsOptionsOf } from './meetings/tagsOptions.js'
import { type SessionTokenOptions, sessionTokenOptionsOf } from './token/sessionTokenOptions.js'
import type { TokenOptions } from './token/TokenSource.js'

/** Argument of `createVoiceClient`. Only `url` is required. */
export interface VoiceClientOptions {
  /** Where the BFF is mounted: a path of this site such as `/api/voice`, or an absolute address. */
  readonly url: string
  /**
   * Headers for each request, or an async function that is called before each: the place for the
   * application's own login.
   */
  readonly headers?: HeadersProvider | undefined
  /**
   * Default `same-origin`. `include` sends cookies to a BFF on another origin, which must list this one in
   * `allowedOrigins`.
   */
  readonly credentials?: RequestCredentials | undefined
  /** Default: the global one, looked up at each request. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * After this time a request is aborted and counts as a network failure. Default 12,000: the BFF's own limit
   * of 10 s, and the way.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Sent as `session_id` with each token request, at most 255 characters, to find the session in the
   * service's records. A text is the same for every user of the client. A function is called before each
   * request, with the user if one is given, so that the records do not connect two users.
   */
  readonly sessionId?: SessionId | undefined
  /**
   * Shares one token among the tabs of one user. One tab asks (Web Locks), and the others get the token over
   * a BroadcastChannel. Nothing is stored. If a browser has neither, each tab asks for itself. Off as long as
   * the client is not given a user. Default: off.
   */
  readonly shareAcrossTabs?: boolean | undefined
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
 * What the hooks work with. Made by `createVoiceClient`, given to `VoiceProvider`. It serves one user at a
 * time.
 *
 * The options are TanStack Query's: pass them to `useQuery`, `useSuspenseInfiniteQuery`,
 * `prefetchInfiniteQuery`, a router's loader, or `setQueryData(options.queryKey, …)`.
 */
export interface VoiceClient extends Client {
  /**
   * The token that `useSessionToken` and the streams use, by way of the query cache; the secret itself is not
   * in the cache.
   */
  sessionTokenOptions(product: Product, options?: TokenOptions): SessionTokenOptions
  /** The list, as `useInfiniteQuery` takes it. */
  meetingsOptions<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
    filters?: MeetingsFilters<TFields>,
  ): MeetingsOptions<MeetingWith<TFields>>
  /**
   * One meeting. While it is processed the query is pending, with `failureReason`, and polls at the server's
   * pace.
   */
  meetingOptions<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
    id: string,
    options?: { readonly fields?: TFields },
  ): MeetingOptions<MeetingWith<TFields>>
  tagsOptions(): TagsOptions
  /**
   * Says who the user is: the id that the BFF's grant has, or `null` if nobody is signed in. At a change
   * everything of the user before ends: requests, tokens, streams, queues and queries. With the same user it
   * does nothing, except after USER_CHANGED. Throws if a mounted `VoiceProvider` gives another user.
   */
  setUser(user: string | null): void
  /** Does what a change of user does, and keeps the user. */
  reset(): void
  /** @internal */
  readonly users: Users<VoiceClient>
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

  const common = {
    url,
    platform,
    sessionId: options.sessionId,
    shareAcrossTabs: options.shareAcrossTabs ?? false,
    openSocket: options.openSocket,
    subscribe(listener: (event: VoiceEvent) => void) {
      const mine = (event: VoiceEvent): void => listener(event)
      listeners.add(mine)
      return () => {
        listeners.delete(mine)
      }
    },
  }

  function open(identity: Identity): VoiceClient {
    const { user } = identity
    const ended = new AbortController()
    const parts = new Map<unknown, unknown>()
    let isMuted = false

    const client: Client = {
      ...common,
      user,
      identity,
      signal: ended.signal,
      end(error) {
        // What happens at the end is still reported.
        ended.abort(error)
        isMuted = true
      },
      emit(event) {
        if (!isMuted) emit(event)
      },
      request: createRequest({
        url,
        user,
        ended: ended.signal,
        headers: options.headers,
        credentials: options.credentials ?? 'same-origin',
        fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
        timeoutMs: options.timeoutMs ?? 12_000,
        platform,
        emit: (event) => client.emit(event),
        onUserChanged(error) {
          client.end(error)
          emit({ type: 'client.user_changed', at: platform.wallNow() })
        },
      }),
      part<TPart>(create: (client: Client) => TPart) {
        if (!parts.has(create)) parts.set(create, (options.parts?.get(create) ?? create)(client))
        // What is kept under a function is what that function returned.
        return parts.get(create) as TPart
      },
    }
    if (user === null) client.end(new VoiceError('UNAUTHENTICATED'))
    return viewOf(() => client)
  }

  /**
   * The voice client as the application has it. `get` returns the client of one identity, or always the
   * current one. `getForOptions`: the same, for query options.
   */
  function viewOf(get: () => Client, getForOptions = get): VoiceClient {
    return {
      ...common,
      get user() {
        return get().user
      },
      get identity() {
        return get().identity
      },
      get signal() {
        return get().signal
      },
      end: (error) => get().end(error),
      emit: (event) => get().emit(event),
      request: (request) => get().request(request),
      part: (create) => get().part(create),
      sessionTokenOptions: (product, own = {}) => sessionTokenOptionsOf(getForOptions(), product, own),
      meetingsOptions: (filters = {}) => meetingsOptionsOf(getForOptions(), meetingsParams(filters)),
      meetingOptions: (id, { fields } = {}) => meetingOptionsOf(getForOptions(), id, fields),
      tagsOptions: () => tagsOptionsOf(getForOptions()),
      setUser: (user) => users.setUser(user),
      reset: () => users.reset(),
      get users() {
        return users
      },
    }
  }

  const users = createUsers({
    open,
    isServer: platform.isServer,
    onChange: () => emit({ type: 'client.reset', at: platform.wallNow() }),
  })
  return viewOf(users.current, users.currentOutside)
}

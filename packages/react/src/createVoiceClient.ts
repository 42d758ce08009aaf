import type { Product } from '@stagepass/contract'
import { createRequest } from './request/createRequest.js'
import { browserPlatform } from './platform/browserPlatform.js'
import type { Client, Identity, SessionId } from './client/Client.js'
import { sayOnce } from './client/sayOnce.js'
import { createUsers } from './client/createUsers.js'
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
import { tokenSourceOf } from './token/tokenSourceOf.js'
import type { TokenOptions, TokenSource } from './token/TokenSource.js'

// Bundlers replace it.
declare const process: { readonly env: { readonly NODE_ENV?: string } }

/** Argument of `createVoiceClient`, in order of use. Only `url` is required. */
export interface VoiceClientOptions {
  // What everyone sets.

  /** Where the BFF is mounted: a path of this site such as `/api/voice`, or an absolute address. */
  readonly url: string
  /**
   * Headers for each request, or an async function that is called before each: the place for the
   * application's own login.
   */
  readonly headers?: HeadersProvider | undefined

  // What some set.

  /**
   * Default `same-origin`. `include` sends cookies to a BFF on another origin, which must list this one in
   * `allowedOrigins`.
   */
  readonly credentials?: RequestCredentials | undefined
  /**
   * Called with every event. No event contains a token. An exception in the callback is reported and has no
   * other effect.
   */
  readonly onEvent?: ((event: VoiceEvent) => void) | undefined
  /**
   * Sent as `session_id` with each token request, at most 255 characters, to find the session in the
   * service's records. A text is the same for every user of the client. A function is called before each
   * request, with the user if one is given, so that the records do not connect two users.
   */
  readonly sessionId?: SessionId | undefined
  /**
   * Address of a page of your own that has a section for each error code, for `docs` of the errors. Default:
   * none.
   */
  readonly errorDocsUrl?: string | undefined

  // Expert knobs, and what tests replace.

  /**
   * After this time a request is aborted and counts as a network failure. Default 12,000: the BFF's own limit
   * of 10 s, and the way.
   */
  readonly timeoutMs?: number | undefined
  /** Default: the global one, looked up at each request. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Clock, timers, randomness and page events. Default: the browser's. */
  readonly platform?: Platform | undefined
  /** How a connection is made. Default: react-use-websocket in a hidden component. For tests. */
  readonly openSocket?: OpenSocket | undefined
}

/**
 * What the hooks work with. Made by `createVoiceClient`, given to `VoiceProvider`. It serves one user at a
 * time.
 *
 * The options are TanStack Query's: pass them to `useQuery`, `useSuspenseInfiniteQuery`,
 * `prefetchInfiniteQuery`, a router's loader, or `setQueryData(options.queryKey, …)`.
 */
export interface VoiceClient {
  /** Whom it serves; `null`: nobody is signed in; `undefined`: the application does not say. */
  readonly user: string | null | undefined
  /**
   * Says who the user is: the id that the BFF's grant has, or `null` if nobody is signed in. At a change
   * everything of the user before ends: requests, tokens, streams, queues and queries. With the same user it
   * does nothing, except after USER_CHANGED. Throws if a mounted `VoiceProvider` gives another user.
   */
  setUser(user: string | null): void
  /** Does what a change of user does, and keeps the user. */
  reset(): void
  /** Calls back for every event, beside `onEvent`. Returns its undo. */
  subscribe(listener: (event: VoiceEvent) => void): () => void
  /**
   * The tokens of a product for the present user, for code outside of components. The hooks use the same.
   *
   * @example const { token, streamUrl } = await voice.tokenSource('stt').get()
   */
  tokenSource(product: Product): TokenSource
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
  /** The account's tags. */
  tagsOptions(): TagsOptions
}

// Not a WeakMap: two copies of this package on one page (a linked package, a second bundle) share clients.
const CLIENT = Symbol.for('stagepass.VoiceClient')

/** What the package itself knows of a voice client: at the moment of the call. */
export function clientOf(voice: VoiceClient): Client {
  const client = (voice as { readonly [CLIENT]?: Client })[CLIENT]
  if (client) return client
  throw new Error(
    'Failed to use the voice client: it is not from createVoiceClient(). Give what that returns.',
  )
}

/** The voice client of one identity. A part of the client. */
export function createView(client: Client): VoiceClient {
  return viewOf(() => client)
}

/**
 * The voice client as the application has it. `get` returns the client of one identity, or always the
 * current one. `getForOptions`: the same, for query options.
 */
function viewOf(get: () => Client, getForOptions = get): VoiceClient {
  const view: VoiceClient = {
    get user() {
      return get().user
    },
    setUser: (user) => get().users.setUser(user),
    reset: () => get().users.reset(),
    subscribe: (listener) => get().subscribe(listener),
    tokenSource: (product) => tokenSourceOf(get(), product),
    sessionTokenOptions: (product, own = {}) => sessionTokenOptionsOf(getForOptions(), product, own),
    meetingsOptions: (filters = {}) => meetingsOptionsOf(getForOptions(), meetingsParams(filters)),
    meetingOptions: (id, { fields } = {}) => meetingOptionsOf(getForOptions(), id, fields),
    tagsOptions: () => tagsOptionsOf(getForOptions()),
  }
  return Object.defineProperty(view, CLIENT, { get })
}

/**
 * The voice client of an application: create one, outside of components, and give it to `VoiceProvider`. It
 * sends nothing by itself. Throws if an option is invalid.
 *
 * @example const voice = createVoiceClient({ url: '/api/voice' })
 */
export function createVoiceClient(options: VoiceClientOptions): VoiceClient {
  return createVoiceClientWith(options)
}

/** The same, with what `part` makes in place of a part. For tests. */
export function createVoiceClientWith(
  options: VoiceClientOptions,
  replaced?: ReadonlyMap<unknown, (client: Client) => unknown>,
): VoiceClient {
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
    openSocket: options.openSocket,
    docsUrl: options.errorDocsUrl,
    said: new Set<string>(),
    subscribe(listener: (event: VoiceEvent) => void) {
      const mine = (event: VoiceEvent): void => listener(event)
      listeners.add(mine)
      return () => {
        listeners.delete(mine)
      }
    },
  }

  function open(identity: Identity): Client {
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
        said: common.said,
        docsUrl: common.docsUrl,
        onUserChanged(error, isFirst) {
          if (process.env.NODE_ENV !== 'production' && isFirst) {
            sayOnce(
              common.said,
              "Failed to serve the user: the `user` of VoiceProvider or setUser() is not the grant's. Give the same id that `authorize` of createBff() returns as `user`, character by character.",
            )
          }
          client.end(error)
          emit({ type: 'client.user_changed', at: platform.wallNow() })
        },
      }),
      get users() {
        return users
      },
      part<TPart>(create: (client: Client) => TPart) {
        if (!parts.has(create)) parts.set(create, (replaced?.get(create) ?? create)(client))
        // What is kept under a function is what that function returned.
        return parts.get(create) as TPart
      },
    }
    if (user === null)
      client.end(
        new VoiceError('UNAUTHENTICATED', { message: 'Sign in to use this.', docsUrl: options.errorDocsUrl }),
      )
    return client
  }

  const users = createUsers({
    open,
    isServer: platform.isServer,
    onChange: () => emit({ type: 'client.reset', at: platform.wallNow() }),
  })
  return viewOf(users.current, users.currentOutside)
}

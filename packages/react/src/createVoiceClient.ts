import { createRequest } from './request/createRequest.js'
import { browserPlatform } from './platform/browserPlatform.js'
import type { Client, Identity, SessionId } from './client/Client.js'
import { perClient } from './client/perClient.js'
import { sayOnce } from './client/sayOnce.js'
import { createUsers } from './client/createUsers.js'
import type { VoiceEvent } from './client/events.js'
import type { HeadersProvider } from './client/request.js'
import type { Platform } from './platform/platform.js'
import { sleepAware } from './platform/sleepAware.js'
import type { OpenSocket } from './platform/socket.js'
import { VoiceError } from './VoiceError.js'
import { mistake } from './errors/mistake.js'

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
}

// Not a WeakMap: two copies of this package on one page (a linked package, a second bundle) share clients.
const CLIENT = Symbol.for('stagepass.VoiceClient')

/** Behind a voice client. Each returns the client of one identity, or always the current one. */
interface Behind {
  readonly get: () => Client
  /** The same, for query options: throws where the current one would be wrong. */
  readonly getForOptions: () => Client
}

function behind(voice: VoiceClient): Behind {
  const found = (voice as { readonly [CLIENT]?: Behind })[CLIENT]
  if (found) return found
  throw mistake('notAClient')
}

/** What the package itself knows of a voice client: at the moment of the call. */
export function clientOf(voice: VoiceClient): Client {
  return behind(voice).get()
}

/** The same, for query options. Throws in a component that is rendered for another user. */
export function clientForOptionsOf(voice: VoiceClient): Client {
  return behind(voice).getForOptions()
}

/** The voice client of one identity. */
export const viewOf = /* @__PURE__ */ perClient((client) =>
  createView({ get: () => client, getForOptions: () => client }),
)

/** The voice client as the application has it. */
function createView(own: Behind): VoiceClient {
  const { get } = own
  const view: VoiceClient = {
    get user() {
      return get().user
    },
    setUser: (user) => get().users.setUser(user),
    reset: () => get().users.reset(),
    subscribe: (listener) => get().subscribe(listener),
  }
  return Object.defineProperty(view, CLIENT, { value: own })
}

/**
 * The voice client of an application: create one, outside of components, and give it to `VoiceProvider`. It
 * sends nothing by itself. Throws if an option is invalid.
 *
 * @example const voice = createVoiceClient({ url: '/api/voice' })
 */
export function createVoiceClient(options: VoiceClientOptions): VoiceClient {
  if (typeof options.url !== 'string' || options.url === '') {
    throw mistake('noUrl')
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
  return createView({ get: users.current, getForOptions: users.currentOutside })
}

import { createRequest } from '../request/createRequest.js'
import { createListeners } from '../events/createListeners.js'
import { createPlatform, CREDENTIALS } from '#createPlatform'
import type { Client, Identity, SessionId, Users } from '../identity/Client.js'
import { perClient } from '../identity/perClient.js'
import { sayOnce } from '../errors/sayOnce.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import { createReloadGuard } from '../identity/createReloadGuard.js'
import { createUsers } from '../identity/createUsers.js'
import type { VoiceEvent } from '../events/events.js'
import type { HeadersProvider } from '../request/SendRequest.js'
import type { Platform } from '../platform/platform.js'
import { sleepAware } from '../platform/sleepAware.js'
import type { OpenSocket } from '../platform/socket.js'
import { VoiceError } from '../errors/VoiceError.js'
import { forgetRecordings } from '../recordings/forgetRecordings.js'
import { checkTime } from '../errors/checkTime.js'
import { mistake } from '../errors/mistake.js'
import type { StreamMoment } from '../vitals/StreamMoment.js'
import type { VitalsOptions } from '../vitals/VitalsOptions.js'

/** Options of `createVoiceClient`. Only `url` is required. */
export interface VoiceClientOptions {
  // Everyone sets these.

  /** Where the BFF is mounted: a path of this site such as `/api/voice`, or an absolute address. */
  readonly url: string
  /**
   * Headers for each request, or a function (may be async) that is called before each request. Use them for
   * the application's own login. After a 401 the function is called with `{ refused: true }`, and the request
   * is sent once more.
   */
  readonly headers?: HeadersProvider | undefined

  // Some set these.

  /**
   * Default `same-origin`; in React Native `omit`. `include` sends cookies to a BFF on another origin. That
   * BFF must list the page's origin in `allowedOrigins`.
   */
  readonly credentials?: RequestCredentials | undefined
  /**
   * Called with every event. No event contains a token. If the callback throws, its error is reported and has
   * no other effect.
   */
  readonly onEvent?: ((event: VoiceEvent) => void) | undefined
  /**
   * Sent as `session_id` with each token request, to find the session in the service's records. At most 255
   * characters. A string is the same for every user; a function is called before each request, with the user
   * if one is set.
   */
  readonly sessionId?: SessionId | undefined

  /**
   * Measures what users of this page feel: how long they wait for an open stream and for texts, and how often
   * connections drop. It reports numbers to the BFF, at most once a minute; the BFF needs its option `vitals`
   * (docs/vitals.md). `{ sample: 0.1 }` measures one page in ten. Default: nothing is measured or sent.
   */
  readonly vitals?: VitalsOptions | undefined

  // For experts and for tests.

  /**
   * After this time a request is aborted and counts as a network failure. Default: the `deadlineMs` of the
   * BFF, which its responses tell if it is longer than 10 s, plus 2 s for the network; so 12,000. `Infinity`:
   * no limit.
   */
  readonly timeoutMs?: number | undefined
  /** Default: the global `fetch`, read at each request. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Clock, timers, randomness and page events. Default: the browser's or the phone's. */
  readonly platform?: Platform | undefined
  /**
   * Opens a connection. Default: react-use-websocket; in React Native its `WebSocket`, with the token in a
   * header. For tests.
   */
  readonly openSocket?: OpenSocket | undefined
}

/**
 * The object that all hooks work with. Create it with `createVoiceClient`, and give it to `VoiceProvider`. It
 * serves one user at a time.
 */
export interface VoiceClient {
  /** The current user. `null`: nobody is signed in. `undefined`: the application does not set a user. */
  readonly user: string | null | undefined
  /**
   * Sets the user: the id in the BFF's grant, or `null` if nobody is signed in. A change ends everything of
   * the previous user: requests, tokens, streams, queues and queries. With the same user it does nothing,
   * except after USER_CHANGED. Throws if a mounted `VoiceProvider` has another `user`.
   */
  setUser(user: string | null): void
  /** Ends the same things as a change of user, but keeps the user. */
  reset(): void
  /** Calls the listener for every event, in addition to `onEvent`. Returns a function that unsubscribes. */
  subscribe(listener: (event: VoiceEvent) => void): () => void
}

// Not a WeakMap: two copies of this package on one page (a linked package, a second bundle) share clients.
const CLIENT = Symbol.for('stagepass.VoiceClient')

/**
 * The internal client of a voice client. Both functions return the client of one identity, or always the
 * current one.
 */
interface InternalClient {
  readonly get: () => Client
  /** For query options: throws if the current client would be the wrong one. */
  readonly getForOptions: () => Client
}

function internalOf(voice: VoiceClient): InternalClient {
  const found = (voice as { readonly [CLIENT]?: InternalClient })[CLIENT]
  if (found) return found
  throw mistake('notAClient')
}

/** The internal client of a voice client, at the moment of the call. */
export function clientOf(voice: VoiceClient): Client {
  return internalOf(voice).get()
}

/** The internal client for query options. Throws in a component that is rendered for another user. */
export function clientForOptionsOf(voice: VoiceClient): Client {
  return internalOf(voice).getForOptions()
}

/** The voice client of one identity. */
export const viewOf = /* @__PURE__ */ perClient((client) =>
  createView({ get: () => client, getForOptions: () => client }),
)

/** Returns a function that returns true until this task has ended. */
function thisTask(): () => boolean {
  let isRunning = true
  queueMicrotask(() => {
    isRunning = false
  })
  return () => isRunning
}

/** The voice client that the application sees. */
function createView(own: InternalClient): VoiceClient {
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
 * Creates the voice client of an application. Call it once, outside of components, and give the client to
 * `VoiceProvider`. The call sends no request. Throws if an option is invalid.
 *
 * @example const voice = createVoiceClient({ url: '/api/voice' })
 */
export function createVoiceClient(options: VoiceClientOptions): VoiceClient {
  const { url: given } = options
  if (typeof given !== 'string' || given === '') throw mistake('badUrl')
  // Paths of routes are put after it. A mistake that is seen at the first start, so production does not look.
  if (process.env.NODE_ENV !== 'production' && /[?#]/.test(given)) throw mistake('badUrl')
  checkTime('timeoutMs', options.timeoutMs)
  const url = given.replace(/\/+$/, '')
  const platform = sleepAware(options.platform ?? createPlatform())
  const events = createListeners<[event: VoiceEvent]>()
  const emit = events.notify

  function subscribe(listener: (event: VoiceEvent) => void): () => void {
    return events.subscribe((event) => {
      try {
        listener(event)
      } catch (error) {
        // Goes to the page's error handler. A server has no handler, and a listener must not stop it.
        globalThis.reportError?.(error)
      }
    })
  }
  if (options.onEvent) subscribe(options.onEvent)

  const common = {
    url,
    platform,
    sessionId: options.sessionId,
    openSocket: options.openSocket,
    said: new Set<string>(),
    ...(process.env.NODE_ENV !== 'production' && { createdInThisTask: thisTask() }),
    reloadGuard: createReloadGuard(url, platform),
    moments: createListeners<[moment: StreamMoment]>(),
    tap: {},
    subscribe,
  }

  if (process.env.NODE_ENV !== 'production')
    sayUnknown(common.said, 'createVoiceClient does not know the option', options, {
      url: true,
      headers: true,
      credentials: true,
      onEvent: true,
      sessionId: true,
      timeoutMs: true,
      fetch: true,
      platform: true,
      openSocket: true,
      vitals: true,
    })

  function open(identity: Identity, users: Users): Client {
    const { user } = identity
    const ended = new AbortController()
    const signIns = createListeners()
    let isMuted = false

    const client: Client = {
      ...common,
      platform: {
        ...platform,
        // What was refused tries again at a sign-in, as when the page comes to the front.
        onWake(listener) {
          const unsubscribe = platform.onWake(listener)
          const forget = signIns.subscribe(() => listener('focus'))
          return () => {
            unsubscribe()
            forget()
          }
        },
      },
      user,
      identity,
      signal: ended.signal,
      end(error) {
        // The signals of React Native have no reason. Their listeners read it.
        const signal: { reason?: unknown } = ended.signal
        if (!('reason' in signal)) signal.reason = error
        ended.abort(error)
        forgetRecordings(client)
        // Not before: events of the end itself are still emitted.
        isMuted = true
      },
      emit(event) {
        if (!isMuted) emit(event)
      },
      request: createRequest({
        ...options,
        ...common,
        user,
        ended: ended.signal,
        credentials: options.credentials ?? CREDENTIALS,
        fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
        timeoutMs: options.timeoutMs,
        emit: (event) => client.emit(event),
        onSignedIn: signIns.notify,
        onFirstSuccess: common.reloadGuard.forget,
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
      users,
    }
    if (user === null) client.end(new VoiceError('UNAUTHENTICATED', { message: 'Sign in to use this.' }))
    return client
  }

  const users = createUsers({
    open,
    isServer: platform.isServer,
    onChange: () => emit({ type: 'client.reset', at: platform.wallNow() }),
  })
  const { vitals } = options
  if (vitals && !platform.isServer && platform.random() < (vitals.sample ?? 1))
    // A chunk of its own, so that only pages that are measured load it. Without it nothing is measured.
    import('../vitals/startVitals.js').then(
      ({ startVitals }) => startVitals({ ...common, request: () => users.current().request }),
      () => {},
    )
  return createView({ get: users.current, getForOptions: users.currentOutside })
}

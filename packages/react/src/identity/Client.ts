import type { createListeners } from '../events/createListeners.js'
import type { StreamMoment } from '../vitals/StreamMoment.js'
import type { OpenSocket } from '../platform/socket.js'
import type { Platform } from '../platform/platform.js'
import type { VoiceError } from '../errors/VoiceError.js'
import type { VoiceEvent } from '../events/events.js'
import type { ReloadGuard } from './createReloadGuard.js'
import type { SendRequest } from '../request/SendRequest.js'
import type { Product } from '@stagepass/contract'

/** A place where a recording can put itself between the streams and their sockets. */
interface SocketTap {
  /** Called for each socket that a stream opens. */
  wrap?: ((open: OpenSocket, product: Product) => OpenSocket) | undefined
}

/**
 * The user's id, equal to `user` in the BFF's grant. `null`: nobody is signed in. `undefined`: the
 * application does not set a user.
 */
export type User = string | null | undefined

/** The `session_id` of token requests, or a function that is called before each. */
export type SessionId = string | ((user: string | undefined) => string | undefined)

/**
 * The user to whom the data of a client belongs. A change of user or `reset()` starts the next identity. Part
 * of every query key.
 */
export interface Identity {
  readonly user: User
  /** Increases whenever a user's data is dropped, so that a user who returns starts without data. */
  readonly generation: number
}

/** The internal client, for every part of the package. It belongs to one identity and ends with it. */
export interface Client {
  /** Where the BFF is mounted. Part of every query key. */
  readonly url: string
  readonly user: User
  /** Part of every query key. */
  readonly identity: Identity
  /** Calls the listener for every event, in addition to `onEvent`. Returns a function that unsubscribes. */
  subscribe(listener: (event: VoiceEvent) => void): () => void
  /**
   * Aborts when the identity ends. Aborted from the start if nobody is signed in. Its reason is the
   * `VoiceError` of every later request.
   */
  readonly signal: AbortSignal
  /** Ends the identity. Every later request of this client fails with `error`. */
  readonly end: (error: VoiceError) => void
  readonly request: SendRequest
  /** Clock, timers, randomness and page events; `now()` includes the machine's sleep. */
  readonly platform: Platform
  /** Sent with each token request. */
  readonly sessionId: SessionId | undefined
  readonly openSocket: OpenSocket | undefined
  /** In development: the set-up mistakes that were already logged. */
  readonly said: Set<string>
  /**
   * In development: true in the task that made the voice client. If a render reads `true`, this render made
   * it.
   */
  readonly createdInThisTask?: () => boolean
  /** The changes of user that the BFF has found. Shared by all identities. */
  readonly reloadGuard: ReloadGuard
  /** Emits nothing after the identity has ended. */
  readonly emit: (event: VoiceEvent) => void
  /** What happens in the streams, for parts that measure. Shared by all identities. */
  readonly moments: ReturnType<typeof createListeners<[moment: StreamMoment]>>
  /** For a recording of the connections. Shared by all identities. */
  readonly tap: SocketTap
  /** The users of the voice client to which this client belongs. */
  readonly users: Users
}

/** The users of a voice client, one at a time. */
export interface Users {
  readonly current: () => Client
  /**
   * The current client, for use outside of components. Throws in a component that is rendered for another
   * user: there the current client still belongs to the previous user, and its options would show that user's
   * rows.
   */
  readonly currentOutside: () => Client
  /** Calls the listener when another client becomes current. Returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void
  /** The client that would be current for this user. Changes nothing, because React may discard a render. */
  clientOf(user: User): Client
  /**
   * Sets the user of a provider. Returns a function for its unmount. Throws if another provider has another
   * user.
   */
  claim(user: string | null): () => void
  setUser(user: string | null): void
  reset(): void
}

import type { OpenSocket } from '../platform/socket.js'
import type { Platform } from '../platform/platform.js'
import type { VoiceError } from '../VoiceError.js'
import type { VoiceEvent } from './events.js'
import type { SendRequest } from './request.js'

/**
 * The user's id as the BFF's grant has it. `null`: nobody is signed in. `undefined`: the application does not
 * say.
 */
export type User = string | null | undefined

/** The `session_id` of token requests, or a function that is called before each. */
export type SessionId = string | ((user: string | undefined) => string | undefined)

/**
 * Whose data a client holds. A change of user, or `reset()`, makes the next identity. Part of every query
 * key.
 */
export interface Identity {
  readonly user: User
  /** Counts up when the data of a user is given up: a user that comes back starts with nothing. */
  readonly generation: number
}

/** What every part of the package knows of a client. It belongs to one identity and ends with it. */
export interface Client {
  /** Where the BFF is mounted. Part of every query key. */
  readonly url: string
  readonly user: User
  /** Whose data this is. Part of every query key. */
  readonly identity: Identity
  /** Calls back for every event, beside `onEvent`. Returns its undo. */
  subscribe(listener: (event: VoiceEvent) => void): () => void
  /**
   * Aborts when the identity ends; aborted from the start if nobody is signed in. The reason is the
   * `VoiceError` with which everything that is asked afterwards fails.
   */
  readonly signal: AbortSignal
  /** Ends the identity. `error`: with what everything fails that is asked of the client afterwards. */
  readonly end: (error: VoiceError) => void
  readonly request: SendRequest
  /** Clock, timers, randomness and page events; `now()` includes the machine's sleep. */
  readonly platform: Platform
  /** Sent with each token request. */
  readonly sessionId: SessionId | undefined
  readonly openSocket: OpenSocket | undefined
  /** Page with a section for each error code, if the application has its own. */
  readonly docsUrl: string | undefined
  /** In development: the mistakes of the set-up that were said. */
  readonly said: Set<string>
  /** Emits nothing after the identity has ended. */
  readonly emit: (event: VoiceEvent) => void
  /** The users of the voice client that this one serves. */
  readonly users: Users
}

/** The users of a voice client, one at a time. */
export interface Users {
  readonly current: () => Client
  /**
   * The current client, for what only code outside of components may do. Throws in a component that is
   * rendered for another user: there the current client is still that of the user before, and its options
   * would show that user's rows.
   */
  readonly currentOutside: () => Client
  /** Calls back when another client is current. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
  /** True in the task in which the voice client was made: a render that sees it so has made it. */
  readonly isNew: () => boolean
  /** The client that is current after a change to that user. Changes nothing: a render may be thrown away. */
  clientOf(user: User): Client
  /** A provider gives the user. Returns its undo. Throws if another provider gives another user. */
  claim(user: string | null): () => void
  setUser(user: string | null): void
  reset(): void
}

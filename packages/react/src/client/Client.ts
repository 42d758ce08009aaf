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
  /** Calls back for every event, beside `onEvent`. Returns its undo. */
  subscribe(listener: (event: VoiceEvent) => void): () => void
  /** @internal Whose data this is. Part of every query key. */
  readonly identity: Identity
  /**
   * @internal Aborts when the identity ends; aborted from the start if nobody is signed in. The reason is the
   * `VoiceError` with which everything that is asked afterwards fails.
   */
  readonly signal: AbortSignal
  /**
   * @internal Ends the identity. `error`: with what everything fails that is asked of the client afterwards.
   */
  readonly end: (error: VoiceError) => void
  /** @internal */
  readonly request: SendRequest
  /** @internal Clock, timers, randomness and page events; `now()` includes the machine's sleep. */
  readonly platform: Platform
  /** @internal Sent with each token request. */
  readonly sessionId: SessionId | undefined
  /** @internal Tabs of the same user share one token. */
  readonly shareAcrossTabs: boolean
  /** @internal */
  readonly openSocket: OpenSocket | undefined
  /** @internal Emits nothing after the identity has ended. */
  readonly emit: (event: VoiceEvent) => void
  /**
   * @internal Returns what `create` makes of this client; makes it once. Code that only some applications use
   * is attached in this way, so only the applications that import it contain it.
   */
  part<TPart>(create: (client: Client) => TPart): TPart
}

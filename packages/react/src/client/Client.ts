import type { OpenSocket } from '../platform/socket.js'
import type { Platform } from '../platform/platform.js'
import type { VoiceEvent } from './events.js'
import type { SendRequest } from './request.js'

/** What every part of the package knows of a client. */
export interface Client {
  /** Where the BFF is mounted. Part of every query key. */
  readonly url: string
  /** Calls back for every event, beside `onEvent`. Returns its undo. */
  subscribe(listener: (event: VoiceEvent) => void): () => void
  /** @internal */
  readonly request: SendRequest
  /** @internal Clock, timers, randomness and page events; `now()` includes the machine's sleep. */
  readonly platform: Platform
  /** @internal Sent with each token request. */
  readonly sessionId: string | undefined
  /** @internal Tabs with the same value share one token; `false`: each tab asks for itself. */
  readonly shareAcrossTabs: boolean | string
  /** @internal */
  readonly openSocket: OpenSocket | undefined
  /** @internal */
  readonly emit: (event: VoiceEvent) => void
  /** @internal Forgets every token of this page. `isTold`: another tab said so. */
  readonly forget: (isTold: boolean) => void
  /** @internal Calls back in `forget`, before its event. Returns its undo. */
  readonly onForget: (listener: (isTold: boolean) => void) => () => void
  /**
   * @internal Returns what `create` makes of this client; makes it once. Code that only some applications use is attached in this way, so
   * only the applications that import it contain it.
   */
  part<TPart>(create: (client: Client) => TPart): TPart
}

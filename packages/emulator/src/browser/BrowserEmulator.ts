import type { Fault } from '../core/faults/Fault.js'
import type { EmulatorHandle } from '../core/EmulatorCore.js'
import type { CoreOptions } from '../core/options.js'
import type { BffFault } from './bff/BffFault.js'
import type { OpenSocket } from './socket/createOpenSocket.js'
import type { WireEvent } from './wire/WireEvent.js'

export interface BrowserEmulatorOptions extends CoreOptions {
  /** Faults that are in force from the start, and again after `reset()`. */
  faults?: readonly (Fault | BffFault)[] | undefined
  /** Who is signed in at the BFF; `null`: nobody. Default: the user that the page names. */
  user?: string | null | undefined
  /** The meetings credential of a user. Default: `credentials.main` for every user. */
  credentialOf?: ((user: string) => string) | undefined
}

/** The voice service and a BFF in the page. */
export interface BrowserEmulator extends Omit<EmulatorHandle, 'use'> {
  /** For `createVoiceClient`: it then talks to this emulator alone. */
  readonly clientOptions: {
    readonly url: string
    readonly fetch: typeof globalThis.fetch
    readonly openSocket: OpenSocket
  }
  /** Where the BFF is mounted. No request to it leaves the page. */
  readonly url: string
  /** `{base_url}` of the token endpoint. */
  readonly baseUrl: string
  /** `{streaming_url}` of the sockets. */
  readonly streamingUrl: string
  /** Base of the meetings interface. */
  readonly meetingsUrl: string
  /** Reaches the BFF and the voice service in the page. Rejects for any other address. */
  readonly fetch: typeof globalThis.fetch
  /** A `WebSocket` class that reaches the voice service in the page. At any other address it is refused. */
  readonly WebSocket: typeof WebSocket

  /** Adds a fault of the voice service, or of the BFF. The newest one is tried first. Returns its undo. */
  use(fault: Fault | BffFault): () => void
  /** Another user at the BFF; `null`: nobody. Requests of a page that names another one get USER_CHANGED. */
  signIn(user: string | null): void
  /** Calls back with all that goes over the wire. Returns its undo. */
  onWire(listener: (event: WireEvent) => void): () => void
  /** Drops all requests and WebSockets. What comes later is refused. A second call does nothing. */
  close(): void
}

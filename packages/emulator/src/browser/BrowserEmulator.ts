import type { Transport } from '@stagepass/contract'
import type { EmulatorHandle } from '../core/EmulatorCore.js'
import type { Fault } from '../core/faults/Fault.js'
import type { CoreOptions } from '../core/options.js'
import type { OpenSocket } from './socket/createOpenSocket.js'
import type { PageServer } from './wire/createPageFetch.js'
import type { WireEvent } from './wire/WireEvent.js'

export interface BrowserEmulatorOptions extends CoreOptions {
  /** Faults that are in force from the start, and again after `reset()`. */
  faults?: readonly Fault[] | undefined
}

/** The voice service in the page. */
export interface BrowserEmulator extends EmulatorHandle {
  /** For `createBff` of `@stagepass/bff/fetch`: a BFF in the page, on this emulator alone. */
  readonly bffOptions: {
    readonly apiKey: string
    readonly baseUrl: string
    readonly streamingUrl: string
    readonly meetings: { readonly baseUrl: string }
    readonly basePath: string
    readonly transport: Transport
  }
  /** For `createVoiceClient`: it then talks to this BFF and to this emulator alone. */
  clientOptions(bff: PageServer): {
    readonly url: string
    readonly fetch: typeof globalThis.fetch
    readonly openSocket: OpenSocket
  }
  /** `{base_url}` of the token endpoint. */
  readonly baseUrl: string
  /** `{streaming_url}` of the sockets. */
  readonly streamingUrl: string
  /** Base of the meetings interface. */
  readonly meetingsUrl: string
  /** A `WebSocket` class that reaches the voice service in the page. At any other address it is refused. */
  readonly WebSocket: typeof WebSocket

  /** Calls back with all that goes over the wire. Returns its undo. */
  onWire(listener: (event: WireEvent) => void): () => void
  /** Drops all requests and WebSockets. What comes later is refused. A second call does nothing. */
  close(): void
}

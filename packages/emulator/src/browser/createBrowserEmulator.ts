import type { Transport } from '@stagepass/contract'
import { createCore } from '../core/createCore.js'
import type { EmulatorHandle } from '../core/EmulatorCore.js'
import type { Fault } from '../core/faults/Fault.js'
import type { CoreOptions } from '../core/options.js'
import type { Platform } from '../core/platform/Platform.js'
import { MEETINGS_PREFIX } from '../core/routes/meetings.js'
import { createOpenSocket, type OpenSocket } from './createOpenSocket.js'
import { createPageFetch, type PageServer } from './createPageFetch.js'
import { createTasks } from './createTasks.js'
import { createTransport } from './createTransport.js'
import { createSocketClass } from './PageSocket.js'
import { createWire, type WireEvent } from './wire.js'

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

  /** Calls back with all that goes over the wire. Returns a function that unsubscribes. */
  onWire(listener: (event: WireEvent) => void): () => void
  /** Drops all requests and WebSockets. What comes later is refused. A second call does nothing. */
  close(): void
}

// No name ends in `.invalid` (RFC 2606): a request that goes past the emulator reaches nobody.
const SERVICE_HOST = 'service.stagepass.invalid'
const BFF_ORIGIN = 'https://bff.stagepass.invalid'
const MOUNT = '/api/voice'

/** Reads the globals at each call, so that a test may replace them. */
const pagePlatform: Platform = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

/**
 * The voice service in the page, for Storybook, component tests and playgrounds. There is no server, and
 * nothing global is changed. Throws if an option is wrong.
 *
 * @example
 * const emulator = createBrowserEmulator({ faults: [fail('AUTH_NO_LICENSE')] })
 * const bff = createBff({ ...emulator.bffOptions, authorize: () => ({ user: 'ada' }) })
 * const voice = createVoiceClient(emulator.clientOptions(bff))
 */
export function createBrowserEmulator(options: BrowserEmulatorOptions = {}): BrowserEmulator {
  const core = createCore(options, pagePlatform)
  const { handle } = core
  const service = {
    core,
    host: SERVICE_HOST,
    isClosed: false,
    runLater: createTasks(),
    wire: createWire(() => pagePlatform.now()),
  }
  const addresses = {
    baseUrl: `https://${SERVICE_HOST}`,
    streamingUrl: `wss://${SERVICE_HOST}`,
    meetingsUrl: `https://${SERVICE_HOST}${MEETINGS_PREFIX}`,
  }
  const socketClass = createSocketClass(service)

  const resetCore = handle.reset.bind(handle)
  const addGiven = (): void => {
    for (const fault of options.faults ?? []) handle.use(fault)
  }
  addGiven()

  // Not a copy: some properties of the handle are getters.
  return Object.assign(handle, addresses, {
    bffOptions: {
      apiKey: handle.apiKey,
      baseUrl: addresses.baseUrl,
      streamingUrl: addresses.streamingUrl,
      meetings: { baseUrl: addresses.meetingsUrl },
      basePath: MOUNT,
      transport: createTransport(service),
    },
    clientOptions: (bff: PageServer) => ({
      url: BFF_ORIGIN + MOUNT,
      fetch: createPageFetch(bff, service),
      openSocket: createOpenSocket(socketClass),
    }),
    WebSocket: socketClass,
    onWire: (listener: (event: WireEvent) => void) => service.wire.onWire(listener),
    reset() {
      resetCore()
      addGiven()
    },
    close() {
      service.isClosed = true
      resetCore()
    },
  })
}

import type { Transport } from '@stagepass/contract'
import { createCore } from '../core/createCore.js'
import type { EmulatorHandle } from '../core/EmulatorCore.js'
import type { Fault } from '../core/faults/Fault.js'
import type { CoreOptions } from '../core/options.js'
import type { Platform } from '../core/platform/Platform.js'
import { PRODUCTION_VARIABLE, refuseProduction } from '../core/platform/refuseProduction.js'
import { MEETINGS_PREFIX } from '../core/routes/meetings.js'
import { createOpenSocket, type OpenSocket } from './createOpenSocket.js'
import { createPageFetch, type PageServer } from './createPageFetch.js'
import { createTasks } from './createTasks.js'
import { createTransport } from './createTransport.js'
import { createSocketClass } from './PageSocket.js'
import { createWire, type WireEvent } from './createWire.js'

export interface BrowserEmulatorOptions extends CoreOptions {
  /** Faults that are active from the start, and again after `reset()`. */
  faults?: readonly Fault[] | undefined
  /**
   * The first of two permissions to run in a page that was built with NODE_ENV=production, such as a
   * published Storybook. The second is `globalThis.STAGEPASS_EMULATOR_IN_PRODUCTION = '1'`.
   */
  allowProduction?: boolean | undefined
}

declare const process: { readonly env: { readonly NODE_ENV?: string } }

/** A bundler replaces the expression. In a page without a bundler there is no `process`. */
function modeOfPage(): string | undefined {
  try {
    return process.env.NODE_ENV
  } catch {
    return undefined
  }
}

/** The voice service in the page. */
export interface BrowserEmulator extends EmulatorHandle {
  /** Options for `createBff` of `@stagepass/bff/fetch`: a BFF in the page that uses only this emulator. */
  readonly bffOptions: {
    readonly apiKey: string
    readonly baseUrl: string
    readonly streamingUrl: string
    readonly meetings: { readonly baseUrl: string }
    readonly basePath: string
    readonly transport: Transport
  }
  /** Options for `createVoiceClient`: a client that uses only this BFF and this emulator. */
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
  /** A `WebSocket` class that connects to the voice service in the page. Any other address is refused. */
  readonly WebSocket: typeof WebSocket

  /** Calls back with everything that is sent over the wire. Returns a function that unsubscribes. */
  onWire(listener: (event: WireEvent) => void): () => void
  /** Drops all requests and WebSockets, and refuses later ones. A second call does nothing. */
  close(): void
}

// No real host name ends in `.invalid` (RFC 2606), so a request that bypasses the emulator reaches no server.
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
 * nothing global is changed. Throws if an option is wrong, and in production unless both permissions are
 * given (see `allowProduction`).
 *
 * @example
 * const emulator = createBrowserEmulator({ faults: [fail('AUTH_NO_LICENSE')] })
 * const bff = createBff({ ...emulator.bffOptions, authorize: () => ({ user: 'ada' }) })
 * const voice = createVoiceClient(emulator.clientOptions(bff))
 */
export function createBrowserEmulator({
  allowProduction,
  ...options
}: BrowserEmulatorOptions = {}): BrowserEmulator {
  const variable: unknown = Reflect.get(globalThis, PRODUCTION_VARIABLE)
  const written = `globalThis.${PRODUCTION_VARIABLE} = '1'`
  refuseProduction({ mode: modeOfPage(), allowProduction, variable, written })
  const core = createCore(options, pagePlatform, ['faults'])
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

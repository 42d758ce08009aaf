import { createCore } from '../core/createCore.js'
import type { Platform } from '../core/platform/Platform.js'
import { MEETINGS_PREFIX } from '../core/routes/Route.js'
import type { BrowserEmulator, BrowserEmulatorOptions } from './BrowserEmulator.js'
import { createDial } from './socket/createDial.js'
import { createOpenSocket } from './socket/createOpenSocket.js'
import { createSocketClass } from './socket/PageSocket.js'
import { createPageFetch, type PageServer } from './wire/createPageFetch.js'
import { createTasks } from './wire/createTasks.js'
import { createTransport } from './wire/createTransport.js'
import { createWire } from './wire/createWire.js'
import type { WireEvent } from './wire/WireEvent.js'

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
  const runLater = createTasks()
  const wire = createWire(() => pagePlatform.now())
  const common = { core, runLater, wire }
  let isClosed = false

  const service = {
    baseUrl: `https://${SERVICE_HOST}`,
    streamingUrl: `wss://${SERVICE_HOST}`,
    meetingsUrl: `https://${SERVICE_HOST}${MEETINGS_PREFIX}`,
  }
  const transport = createTransport({ ...common, origin: service.baseUrl, isClosed: () => isClosed })
  const socketClass = createSocketClass(
    createDial({ ...common, isServed: ({ host }) => !isClosed && host === SERVICE_HOST }),
  )

  const resetCore = handle.reset.bind(handle)
  const addGiven = (): void => {
    for (const fault of options.faults ?? []) handle.use(fault)
  }
  addGiven()

  // Not a copy: some properties of the handle are getters.
  return Object.assign(handle, service, {
    bffOptions: {
      apiKey: handle.apiKey,
      baseUrl: service.baseUrl,
      streamingUrl: service.streamingUrl,
      meetings: { baseUrl: service.meetingsUrl },
      basePath: MOUNT,
      transport,
    },
    clientOptions: (bff: PageServer) => ({
      url: BFF_ORIGIN + MOUNT,
      fetch: createPageFetch(bff, { runLater, wire }),
      openSocket: createOpenSocket(socketClass),
    }),
    WebSocket: socketClass,
    onWire: (listener: (event: WireEvent) => void) => wire.onWire(listener),
    reset() {
      resetCore()
      addGiven()
    },
    close() {
      isClosed = true
      resetCore()
    },
  })
}

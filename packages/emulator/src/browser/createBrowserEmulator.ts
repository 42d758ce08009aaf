import { createCore } from '../core/createCore.js'
import type { Platform } from '../core/platform/Platform.js'
import { MEETINGS_PREFIX } from '../core/routes/Route.js'
import { createBffFaults } from './bff/BffFault.js'
import { createPageBff } from './bff/createPageBff.js'
import type { BrowserEmulator, BrowserEmulatorOptions } from './BrowserEmulator.js'
import { createDial } from './socket/createDial.js'
import { createOpenSocket } from './socket/createOpenSocket.js'
import { createSocketClass } from './socket/createSocketClass.js'
import { createFetch } from './wire/createFetch.js'
import { createTasks } from './wire/createTasks.js'
import { createWire } from './wire/createWire.js'
import { serveCore } from './wire/serveCore.js'
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
 * The voice service and a BFF in the page, for Storybook, component tests and playgrounds. There is no server, and nothing global is changed.
 * Throws if an option is wrong.
 *
 * @example
 * const emulator = createBrowserEmulator({ faults: [fail('AUTH_NO_LICENSE')] })
 * const voice = createVoiceClient(emulator.clientOptions)
 */
export function createBrowserEmulator(options: BrowserEmulatorOptions = {}): BrowserEmulator {
  const core = createCore(options, pagePlatform)
  const { handle } = core
  const runLater = createTasks()
  const wire = createWire(() => pagePlatform.now())
  const bffFaults = createBffFaults()
  let user = options.user
  let isClosed = false

  const service = {
    baseUrl: `https://${SERVICE_HOST}`,
    streamingUrl: `wss://${SERVICE_HOST}`,
    meetingsUrl: `https://${SERVICE_HOST}${MEETINGS_PREFIX}`,
  }
  const serve = serveCore(core)
  const serveService = (asked: URL) => (asked.origin === service.baseUrl ? serve : undefined)
  const common = { runLater, wire }
  const serveBff = createPageBff({
    core,
    platform: pagePlatform,
    service: {
      ...service,
      apiKey: handle.apiKey,
      fetch: createFetch({ ...common, from: 'bff', serverOf: serveService }),
    },
    faults: bffFaults,
    mount: MOUNT,
    wire: options.wire,
    user: () => user,
    credentialOf: options.credentialOf ?? (() => handle.meetingsCredential),
  })
  const fetch = createFetch({
    ...common,
    from: 'page',
    serverOf(asked) {
      if (isClosed) return undefined
      const isBff = asked.origin === BFF_ORIGIN && asked.pathname.startsWith(`${MOUNT}/`)
      return isBff ? serveBff : serveService(asked)
    },
  })
  const socketClass = createSocketClass(
    createDial({ ...common, core, isServed: ({ host }) => !isClosed && host === SERVICE_HOST }),
  )
  const url = BFF_ORIGIN + MOUNT

  const addCoreFault = handle.use.bind(handle)
  const resetCore = handle.reset.bind(handle)
  const addFault: BrowserEmulator['use'] = (fault) =>
    'problem' in fault ? bffFaults.use(fault) : addCoreFault(fault)
  const addGiven = (): void => {
    for (const fault of options.faults ?? []) addFault(fault)
  }
  addGiven()

  // Not a copy: some properties of the handle are getters.
  return Object.assign(handle, service, {
    url,
    clientOptions: { url, fetch, openSocket: createOpenSocket(socketClass) },
    fetch,
    WebSocket: socketClass,
    use: addFault,
    signIn(next: string | null) {
      user = next
    },
    onWire: (listener: (event: WireEvent) => void) => wire.onWire(listener),
    reset() {
      resetCore()
      bffFaults.reset()
      user = options.user
      addGiven()
    },
    close() {
      isClosed = true
      resetCore()
    },
  })
}

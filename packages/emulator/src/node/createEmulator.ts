import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Product } from '@stagepass/contract'
import { createClock } from '../core/platform/clock.js'
import { createCounts } from '../core/request/counts.js'
import type { Emulator } from './Emulator.js'
import { createFaultQueue } from '../core/faults/faultQueue.js'
import { createHttpHandler } from './httpServer.js'
import { createIds } from '../core/platform/ids.js'
import { createDistance } from '../core/platform/latency.js'
import { createMeetingsAccess } from '../core/meetings/access.js'
import { createCursorCodec } from '../core/meetings/cursor.js'
import { createMeetingReader } from '../core/store/createMeetingReader.js'
import { createMeetingsTable } from '../core/store/createMeetingsTable.js'
import { createDataSet } from '../core/store/dataSet.js'
import type { EmulatorOptions } from '../core/options.js'
import { resolveOptions } from '../core/options.js'
import { createRandom } from '../core/platform/random.js'
import { createRequestLog } from '../core/request/requestLog.js'
import { meetingRoute } from '../core/routes/meeting.js'
import { meetingsRoute } from '../core/routes/meetings.js'
import { MEETINGS_PREFIX } from '../core/routes/Route.js'
import { sessionTokenRoute } from '../core/routes/sessionToken.js'
import { tagsRoute } from '../core/routes/tags.js'
import { createSockets } from '../core/sockets/sockets.js'
import { createStalled } from '../core/stalled.js'
import { createStore } from '../core/store/store.js'
import { streamOf } from '../core/streams/streamOf.js'
import { createUpgradeHandler } from './upgradeServer.js'

/**
 * Starts the emulator. Rejects where an option is wrong, where the port is taken, and under NODE_ENV=production unless it was told twice
 * (`allowProduction`).
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const resolved = resolveOptions(options)
  const clock = createClock(resolved.now, () => sockets.cutExpired())

  // Each purpose has numbers of its own: more jitter must not change the next id.
  const dataRandom = createRandom(resolved.seed)
  const reader = createMeetingReader({ now: () => clock.now(), extraFields: resolved.wire.extraFields })
  const rows = resolved.meetings ? reader.initial(resolved.meetings) : createDataSet(dataRandom, clock.now())
  const store = createStore({
    random: dataRandom,
    keys: resolved.keys,
    credentials: resolved.credentials,
    accounts: resolved.accounts,
    meetings: createMeetingsTable(rows, reader),
    onTokensChange: () => sockets.cutExpired(),
  })
  const ids = createIds(resolved.ids, resolved.seed + 1)
  const distance = createDistance(resolved.latency, resolved.seed + 2)
  const faults = createFaultQueue()
  const log = createRequestLog(resolved.recordRequests, resolved.onRequest)
  const counts = createCounts()
  const stalled = createStalled()
  const sockets = createSockets({
    clock,
    recordFrames: resolved.recordFrames,
    cutAtExpiry: resolved.cutAtExpiry,
    onError: resolved.onError,
    streamOf: (product: Product) => streamOf(product, resolved.echo),
  })
  const access = createMeetingsAccess({ store, ...resolved })
  const meetingsOptions = { store, access, wire: resolved.wire }
  const routes = [
    sessionTokenRoute({ store, ids, tokenStatus: resolved.tokenStatus }),
    meetingsRoute({
      ...meetingsOptions,
      cursors: createCursorCodec(`cursor-${resolved.seed}`),
      total: resolved.total,
      endOfList: resolved.endOfList,
    }),
    meetingRoute(meetingsOptions),
    tagsRoute({ ...meetingsOptions, tagsShape: resolved.tagsShape }),
  ]
  const transport = { clock, faults, log, counts, stalled, oneWayMs: distance.oneWayMs }
  const { onError } = resolved

  const server = createServer(
    { keepAliveTimeout: 60_000 },
    createHttpHandler({ ...transport, routes, onError }),
  )
  server.on(
    'upgrade',
    createUpgradeHandler({
      ...transport,
      store,
      sockets,
      maxSessions: resolved.maxSessions,
      refuseBy: resolved.refuseBy,
      refusalForm: resolved.refusalForm,
    }),
  )
  // Node forgets a connection once it is upgraded; a client that does not answer a close would hold the server open.
  const connections = new Set<Socket>()
  server.on('connection', (connection: Socket) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  await listen(server, resolved.port, resolved.host)
  const { port } = server.address() as AddressInfo
  const host = `${resolved.host.includes(':') ? `[${resolved.host}]` : resolved.host}:${port}`

  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve())
      for (const connection of connections) connection.destroy()
    })
    return closing
  }

  return {
    baseUrl: `http://${host}`,
    streamingUrl: `ws://${host}`,
    meetingsUrl: `http://${host}${MEETINGS_PREFIX}`,
    apiKey: store.readyKeys.valid,
    meetingsCredential: store.readyCredentials.main,
    keys: store.readyKeys,
    credentials: store.readyCredentials,
    accounts: store.accounts,
    apiKeys: store.apiKeys,
    credentialRows: store.credentials,
    tokens: store.tokens,
    meetings: store.meetings,
    get requests() {
      return log.requests
    },
    counts,
    get sockets() {
      return sockets.live
    },
    get frames() {
      return sockets.frames
    },
    clock,
    use: (fault) => faults.use(fault),
    reset() {
      for (const part of [stalled, sockets, store, faults, log, access, clock, ids, distance]) part.reset()
      Object.assign(counts, createCounts())
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const remedy =
        cause.code === 'EADDRINUSE'
          ? 'Choose another port, or 0 for any free one.'
          : 'Choose another port or host.'
      reject(
        new Error(
          `Failed to start the emulator: it cannot listen on ${host}:${port} (${cause.code}). ${remedy}`,
          { cause },
        ),
      )
    })
    server.listen(port, host, resolve)
  })
}

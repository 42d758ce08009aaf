import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Product } from '@stagepass/contract'
import type { Clock } from './clock.js'
import { createClock } from './clock.js'
import type { Counts } from './counts.js'
import { createCounts } from './counts.js'
import { createFaultQueue } from './faultQueue.js'
import type { Fault } from './faults.js'
import { createHttpHandler } from './httpServer.js'
import { createOneWay } from './latency.js'
import { createMeetingsAccess } from './meetings/access.js'
import { createCursorCodec } from './meetings/cursor.js'
import { createDataSet } from './meetings/dataSet.js'
import type { EmulatorOptions } from './options.js'
import { resolveOptions } from './options.js'
import { createRandom } from './random.js'
import type { RecordedRequest } from './requestLog.js'
import { createRequestLog } from './requestLog.js'
import { meetingRoute } from './routes/meeting.js'
import { meetingsRoute } from './routes/meetings.js'
import { MEETINGS_PREFIX } from './routes/Route.js'
import { sessionTokenRoute } from './routes/sessionToken.js'
import { tagsRoute } from './routes/tags.js'
import type { AccountRow, ApiKeyRow, CredentialRow, KeyState, MeetingRow, SessionTokenRow } from './rows.js'
import type { LiveSocket, ReceivedFrame } from './sockets.js'
import { createSockets } from './sockets.js'
import { createStalled } from './stalled.js'
import type { ReadyCredentials } from './store.js'
import { createStore } from './store.js'
import { streamOf } from './streams/streamOf.js'
import type { Table } from './table.js'
import { createUpgradeHandler } from './upgradeServer.js'

/** A running stand-in for the upstream service. */
export interface Emulator {
  /** `{base_url}` of the token endpoint. */
  readonly baseUrl: string
  /** `{streaming_url}` of the sockets. */
  readonly streamingUrl: string
  /** Base of the meetings interface. */
  readonly meetingsUrl: string
  /** A valid API key: `keys.valid`. */
  readonly apiKey: string
  /** A valid bearer credential: `credentials.main`. */
  readonly meetingsCredential: string
  /** A ready-made API key in each state. */
  readonly keys: Readonly<Record<KeyState, string>>
  readonly credentials: ReadyCredentials

  /** Rows to read and change while it runs. */
  readonly accounts: Table<AccountRow>
  readonly apiKeys: Table<ApiKeyRow>
  readonly credentialRows: Table<CredentialRow>
  readonly tokens: Table<SessionTokenRow>
  readonly meetings: Table<MeetingRow>

  /** The last 10,000 requests, handshakes included, oldest first. */
  readonly requests: readonly RecordedRequest[]
  readonly counts: Readonly<Counts>
  /** The open sockets, oldest first. */
  readonly sockets: readonly LiveSocket[]
  /** Frames received on all sockets, in the order of arrival; how many are kept is the option `recordFrames`. */
  readonly frames: readonly ReceivedFrame[]
  readonly clock: Clock

  /** Puts a fault in front of those in force. Returns its undo. */
  use(fault: Fault): () => void
  /** Back to the start: rows, faults, sockets, counts, logs, limits, ids, clock. Requests under way are dropped. */
  reset(): void
  /** Drops everything and stops listening. A second call does nothing. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts the emulator. Rejects where an option is wrong, where the port is taken, and under NODE_ENV=production unless it was told twice
 * (`allowProduction`).
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const resolved = resolveOptions(options)
  const clock = createClock(resolved.now, () => sockets.cutExpired())

  // Each purpose has numbers of its own: more jitter must not change the next id.
  const startRandoms = () => ({
    ids: createRandom(resolved.seed + 1),
    jitter: createRandom(resolved.seed + 2),
  })
  let randoms = startRandoms()
  let reqIds = 0

  const dataRandom = createRandom(resolved.seed)
  const store = createStore({
    random: dataRandom,
    keys: resolved.keys,
    credentials: resolved.credentials,
    accounts: resolved.accounts,
    meetings: resolved.meetings ?? createDataSet(dataRandom, clock.now()),
    onTokensChange: () => sockets.cutExpired(),
  })
  const faults = createFaultQueue()
  const log = createRequestLog(resolved.recordRequests, resolved.onRequest)
  const counts = createCounts()
  const stalled = createStalled()
  const sockets = createSockets({
    clock,
    recordFrames: resolved.recordFrames,
    cutAtExpiry: resolved.cutAtExpiry,
    streamOf: (product: Product) => streamOf(product, resolved.echo),
  })
  const access = createMeetingsAccess({ store, ...resolved })
  const meetingsOptions = { store, access, wire: resolved.wire }
  const routes = [
    sessionTokenRoute({
      store,
      tokenStatus: resolved.tokenStatus,
      nextReqId: resolved.ids.reqId ?? (() => `req_${String((reqIds += 1)).padStart(8, '0')}`),
      nextSessionKey: resolved.ids.sessionKey ?? (() => `st_${randoms.ids.text(40)}`),
    }),
    meetingsRoute({
      ...meetingsOptions,
      cursors: createCursorCodec(`cursor-${resolved.seed}`),
      total: resolved.total,
      endOfList: resolved.endOfList,
    }),
    meetingRoute(meetingsOptions),
    tagsRoute({ ...meetingsOptions, tagsShape: resolved.tagsShape }),
  ]
  const oneWayMs = createOneWay(resolved.latency, { ...randoms.jitter, next: () => randoms.jitter.next() })
  const transport = { clock, faults, log, counts, stalled, oneWayMs }

  const server = createServer({ keepAliveTimeout: 60_000 }, createHttpHandler({ ...transport, routes }))
  server.on(
    'upgrade',
    createUpgradeHandler({
      ...transport,
      store,
      sockets,
      maxSessions: resolved.maxSessions,
      refuseBy: resolved.refuseBy,
    }),
  )
  await listen(server, resolved.port, resolved.host)
  const { port } = server.address() as AddressInfo
  const host = `${resolved.host.includes(':') ? `[${resolved.host}]` : resolved.host}:${port}`

  const dropEverything = (): void => {
    stalled.giveUp()
    sockets.reset()
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve())
      dropEverything()
      server.closeAllConnections()
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
      dropEverything()
      store.reset()
      faults.reset()
      log.reset()
      Object.assign(counts, createCounts())
      access.reset()
      clock.reset()
      randoms = startRandoms()
      reqIds = 0
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

import type { CoreParts } from './CoreParts.js'
import type { EmulatorCore } from './EmulatorCore.js'
import { createExchanges } from './createExchanges.js'
import { createFaultQueue } from './faults/faultQueue.js'
import { createRequestHandler } from './handleRequest.js'
import { createUpgradeHandler } from './handleUpgrade.js'
import { createMeetingsAccess } from './meetings/access.js'
import { createCursorCodec } from './meetings/cursor.js'
import { type CoreOptions, resolveCoreOptions } from './options.js'
import { createClock } from './platform/clock.js'
import { createIds } from './platform/ids.js'
import { createLatency } from './platform/latency.js'
import type { Platform } from './platform/Platform.js'
import { createRandom } from './platform/random.js'
import { createRequestLog } from './request/requestLog.js'
import { sessionTokenRoute } from './routes/sessionToken.js'
import { meetingRoute, meetingsRoute, tagsRoute } from './routes/meetings.js'
import { createSockets } from './sockets/sockets.js'
import { createStore } from './store/store.js'
import { createTapeStreams } from './streams/createTapeStreams.js'
import { streamOf } from './streams/streamOf.js'

/**
 * Creates the emulator for any kind of transport. Throws if an option is wrong. `others`: the names of the
 * options that the transport reads itself.
 */
export function createCore(
  options: CoreOptions,
  platform: Platform,
  others: readonly string[],
): EmulatorCore {
  const settings = resolveCoreOptions(options, platform.now, others)
  const clock = createClock(settings.now)
  // Each purpose has its own random numbers, so that jitter does not change the next id.
  const store = createStore({
    random: createRandom(settings.seed),
    now: () => clock.now(),
    keys: settings.keys,
    credentials: settings.credentials,
    meetings: settings.meetings,
    extraFields: settings.wire.extraFields,
  })
  const ids = createIds(settings.ids, settings.seed + 1)
  const latency = createLatency(settings.latency, settings.seed + 2)
  const faults = createFaultQueue()
  const log = createRequestLog(settings.onRequest)
  const { onError, wire } = settings
  const exchanges = createExchanges({ clock, after: platform.after, log, onError })
  const tapeStreams =
    settings.tape === undefined ? undefined : createTapeStreams(settings.tape, settings.rechunk)
  const sockets = createSockets({
    clock,
    after: platform.after,
    recordFrames: settings.recordFrames,
    cutAtExpiry: settings.cutAtExpiry,
    onError: settings.onError,
    streamOf: (product) => streamOf(product, settings.echo),
  })
  const access = createMeetingsAccess({ store, ...settings })
  const meetingsOptions = { store, access, wire }
  const routes = [
    sessionTokenRoute({ store, ids, tokenStatus: settings.tokenStatus }),
    meetingsRoute({
      ...meetingsOptions,
      cursors: createCursorCodec(`cursor-${settings.seed}`),
      total: settings.total,
      endOfList: settings.endOfList,
    }),
    meetingRoute(meetingsOptions),
    tagsRoute({ ...meetingsOptions, tagsShape: settings.tagsShape }),
  ]
  const { nextReqId } = ids
  const parts: CoreParts = { clock, faults, log, exchanges, nextReqId, oneWayMs: latency.oneWayMs, onError }

  return {
    handleRequest: createRequestHandler(parts, routes),
    handleUpgrade: createUpgradeHandler(parts, { store, sockets, tapeStreams, ...settings }),
    handle: {
      apiKey: store.builtInKeys.valid,
      meetingsCredential: store.builtInCredentials.main,
      keys: store.builtInKeys,
      credentials: store.builtInCredentials,
      accounts: store.accounts,
      apiKeys: store.apiKeys,
      credentialRows: store.credentials,
      tokens: store.tokens,
      meetings: store.meetings,
      get requests() {
        return log.requests
      },
      counts: log.counts,
      get sockets() {
        return sockets.live
      },
      get frames() {
        return sockets.frames
      },
      billedMs: () => sockets.billedMs(),
      clock,
      heard: () => sockets.heard(),
      use(fault) {
        const remove = faults.use(fault)
        if (fault.effect.type !== 'blackhole') return remove
        sockets.setDark(true)
        return () => {
          remove()
          sockets.setDark(faults.has('blackhole'))
        }
      },
      reset() {
        for (const part of [exchanges, sockets, store, faults, log, access, clock, ids, latency]) part.reset()
        tapeStreams?.reset()
      },
    },
  }
}

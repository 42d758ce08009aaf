import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { codeOf, readSettings, type SettingsSource } from '../settings/readSettings.js'
import type { Settings } from '../settings/schema.js'
import { createLines } from './createLines.js'
import { BASE_PATH, createService, type Service } from './createService.js'
import { type Metrics, startMetrics } from './startMetrics.js'
import { openProxy } from './openProxy.js'
import { watchFiles } from './watchFiles.js'

/** Settings of the program, and the output for its lines. */
export interface StartOptions extends SettingsSource {
  /** Called with lines of JSON. */
  readonly write: (text: string) => void
}

/** A server that listens. */
export interface RunningServer {
  /** Address of the routes: `http://127.0.0.1:8080/api/voice`. */
  readonly url: string
  /**
   * Stops the server: `/ready` answers 503, and the server drains and stops. Returns the same promise on
   * every call.
   */
  close(): Promise<void>
}

/** Thrown if the server cannot listen. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/**
 * nginx keeps a connection for 60 seconds. The server must keep it longer. Otherwise nginx may send a request
 * on a closed connection.
 */
const KEEP_ALIVE_MS = 75_000
const HEADERS_MS = 10_000
const REQUEST_MS = 30_000

/** Time for the last responses after the drain. */
const LAST_RESPONSES_MS = 1_000

/**
 * Starts the BFF as a server. If the environment names a proxy, `fetch` of this process uses it too. Throws a
 * `SettingsError` if a setting is wrong, and a `StartError` if it cannot listen.
 */
export async function startServer({ write, ...source }: StartOptions): Promise<RunningServer> {
  const read = await readSettings(source)
  const { settings, files } = read
  const proxy = read.proxy && openProxy(read.proxy)
  const { STAGEPASS_HOST: host, STAGEPASS_PORT: port } = settings
  const line = createLines(write)
  let service: Service | undefined
  let closing: Promise<void> | undefined

  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
  })
  server.on('request', (req, res) => {
    if (req.url === '/health') return say(res, 200, 'ok')
    if (closing && req.url === '/ready') return say(res, 503, 'draining')
    if (!service) return say(res, 503, 'starting')
    if (req.url === '/ready') return say(res, 200, 'ok')
    service.bff(req, res)
  })
  let metrics: Metrics | undefined
  try {
    metrics = await listenFor(settings)
    server.listen(port, host)
    await once(server, 'listening').catch((error: unknown) => {
      throw startError(error, 'STAGEPASS_PORT (or --port)', port)
    })
    service = await createService(read, proxy?.dispatcher, metrics, line)
  } catch (error) {
    server.close()
    await metrics?.close()
    await proxy?.close()
    throw error
  }

  // The BFF reads the key and the credential again by itself. If another secret changes, a new BFF replaces
  // the old one.
  const { VOICE_API_KEY: _key, VOICE_MEETINGS_TOKEN: _token, ...others } = files
  const renew = async (): Promise<void> => {
    try {
      const next = await createService(await readSettings(source), proxy?.dispatcher, metrics, line)
      if (closing) {
        await next.close()
        return
      }
      const last = service
      service = next
      line('info', 'secrets.renewed', { secrets: Object.keys(others) })
      await last?.close()
    } catch {
      // The error is not written, because it may contain a value.
      line('error', 'secrets.rejected', {
        text: 'A file of a secret was changed to something unusable. The old secret stays in use.',
      })
    }
  }
  const names = Object.keys(others) as (keyof typeof others)[]
  const known = new Map(names.map((name) => [String(others[name]), settings[name]]))
  const unwatch = watchFiles(known, renew)

  const stop = async (): Promise<void> => {
    line('info', 'server.stopping')
    unwatch()
    const closed = once(server, 'close')
    await service?.close()
    server.close()
    const timer = setTimeout(() => server.closeAllConnections(), LAST_RESPONSES_MS)
    await closed
    clearTimeout(timer)
    await metrics?.close()
    await proxy?.close()
    line('info', 'server.stopped')
    // Waits until the last line is written.
    await setImmediate()
  }

  const { port: own } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${own}${BASE_PATH}`
  line('info', 'server.started', {
    url,
    origin: settings.STAGEPASS_ORIGIN,
    authorize: settings.STAGEPASS_JWKS_URL === undefined ? 'url' : 'jwt',
    ...(proxy && { proxy: proxy.host }),
  })
  return { url, close: () => (closing ??= stop()) }
}

async function listenFor({
  STAGEPASS_HOST: host,
  STAGEPASS_METRICS_PORT: port,
}: Settings): Promise<Metrics | undefined> {
  if (port === undefined) return undefined
  try {
    return await startMetrics(host, port)
  } catch (error) {
    throw startError(error, 'STAGEPASS_METRICS_PORT', port)
  }
}

function startError(error: unknown, setting: string, port: number): StartError {
  const code = codeOf(error)
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use. Stop the other program, or set another ${setting}`,
    EACCES: `this user may not use port ${port}. Set ${setting} to 1024 or higher`,
    EADDRNOTAVAIL:
      'this machine does not have the address of STAGEPASS_HOST. Use 127.0.0.1, or 0.0.0.0 in a container',
    ENOTFOUND: 'the name in STAGEPASS_HOST is unknown. Use 127.0.0.1, or 0.0.0.0 in a container',
  }
  return new StartError(`Failed to start: ${why[code] ?? `port ${port} cannot be used (${code})`}.`, {
    cause: error,
  })
}

function say(res: ServerResponse, status: number, state: string): void {
  const body = JSON.stringify({ status: state })
  res
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    .end(body)
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BffOptions, createBff } from '@stagepass/bff'
import { createEmulator, type Emulator, type EmulatorOptions } from '@stagepass/emulator'
import { startTcpProxy } from '@stagepass/testing'
import express, { type Request } from 'express'
import { build } from 'vite'

/** The measured page with its BFFs, and a service behind each. */
export interface Site extends AsyncDisposable {
  readonly url: string
  /** The services, in the order of `paths`. */
  readonly upstreams: readonly Emulator[]
  /** The first of them. */
  readonly upstream: Emulator
}

interface SiteOptions
  extends
    Pick<EmulatorOptions, 'echo' | 'maxSessions' | 'recordFrames'>,
    Pick<BffOptions<Request>, 'onEvent' | 'sessions'> {
  /** Paths of the BFFs. Default: one at `/api/voice`. */
  readonly paths?: readonly string[]
  /**
   * Round trip between the page and its server, and between the page and the service. Default: none, without
   * a proxy.
   */
  readonly roundTripMs?: number
  /** A relay in front of each service, by the index of its path. The page connects to it. */
  readonly relays?: readonly {
    readonly port: number
    service?: Emulator
    readonly line: { readonly isDark: boolean }
  }[]
}

/** The page's script, and what it loads, by path. */
async function bundle(page: URL): Promise<Map<string, string>> {
  const { NODE_ENV } = process.env
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['@stagepass/source', 'module', 'browser', 'production'] },
    build: {
      write: false,
      minify: true,
      lib: { entry: fileURLToPath(page), formats: ['es'], fileName: 'page' },
    },
  })
  // The build sets NODE_ENV to "production", in which the emulator refuses to run.
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = NODE_ENV
  const [output] = [result].flat()
  if (!output || !('output' in output)) throw new Error('Failed to build the page: vite gave no output.')
  return new Map(
    output.output.map((file) => [
      `/${file.fileName}`,
      file.type === 'chunk' ? file.code : String(file.source),
    ]),
  )
}

/** Builds the page, and serves it. */
export async function startSite(
  page: URL,
  { paths = ['/api/voice'], roundTripMs, relays, onEvent, sessions, ...options }: SiteOptions = {},
): Promise<Site> {
  const files = await bundle(page)
  const ends: (() => unknown)[] = []
  /** The same port, or one that is as far as the round trip says. */
  const far = async (port: number): Promise<number> => {
    if (roundTripMs === undefined) return port
    const proxy = await startTcpProxy(port)
    ends.push(() => proxy[Symbol.asyncDispose]())
    proxy.delayMs = roundTripMs / 2
    return proxy.port
  }
  const app = express()
  const upstreams: Emulator[] = []
  for (const [index, path] of paths.entries()) {
    const upstream = await createEmulator({ recordFrames: 0, ...options })
    const servicePort = Number(new URL(upstream.streamingUrl).port)
    const relay = relays?.[index]
    if (relay) relay.service = upstream
    const port = await far(relay?.port ?? servicePort)
    // Without a network the page does not reach its own server either.
    app.use(path, (request, _, next) => void (relay?.line.isDark ? request.socket.destroy() : next()))
    const bff = createBff({
      ...upstream.bffOptions,
      streamingUrl: `ws://127.0.0.1:${port}`,
      authorize: () => ({ user: 'bench' }),
      limits: { tokensPerMinute: Infinity },
      vitals: true,
      onEvent,
      sessions,
      logger: false,
    })
    ends.push(
      () => upstream.close(),
      () => bff.close(),
    )
    app.use(path, bff)
    upstreams.push(upstream)
  }
  for (const [path, text] of files)
    app.get(path, (_, response) => void response.type(extname(path)).send(text))
  const html = '<!doctype html><script type="module" src="/page.js"></script>'
  app.get('/', (_, response) => void response.send(html))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const url = `http://127.0.0.1:${await far((server.address() as AddressInfo).port)}/`
  return {
    url,
    upstreams,
    upstream: upstreams[0]!,
    async [Symbol.asyncDispose]() {
      for (const end of ends.toReversed()) await end()
    },
  }
}

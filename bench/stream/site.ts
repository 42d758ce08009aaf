import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createBff } from '@stagepass/bff'
import { createEmulator, type Emulator, type EmulatorOptions } from '@stagepass/emulator'
import { startTcpProxy, type TcpProxy } from '@stagepass/testing'
import express from 'express'
import { build } from 'vite'

/** The measured page with its BFF, and the service behind it. */
export interface Site extends AsyncDisposable {
  readonly url: string
  readonly upstream: Emulator
}

interface SiteOptions extends Pick<EmulatorOptions, 'maxSessions' | 'recordFrames'> {
  /** Default `page.tsx`. */
  readonly page?: string
  /**
   * Round trip between the page and its server, and between the page and the service. Default: none, without
   * a proxy.
   */
  readonly roundTripMs?: number
}

/** The page's script, the chunks that it loads, and its style, by path. */
export async function bundle(page: string): Promise<Map<string, string>> {
  const { NODE_ENV } = process.env
  const result = await build({
    root: fileURLToPath(new URL('.', import.meta.url)),
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['@stagepass/source', 'module', 'browser', 'production'] },
    build: {
      write: false,
      minify: true,
      lib: {
        entry: fileURLToPath(new URL(page, import.meta.url)),
        formats: ['es'],
        fileName: 'page',
        cssFileName: 'page',
      },
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

/** Builds and serves the page. */
export async function startSite({
  page = 'page.tsx',
  roundTripMs,
  ...options
}: SiteOptions = {}): Promise<Site> {
  const files = await bundle(page)
  const upstream = await createEmulator({ echo: true, recordFrames: 0, recordRequests: false, ...options })
  const far = async (address: string): Promise<TcpProxy | undefined> => {
    if (roundTripMs === undefined) return undefined
    const proxy = await startTcpProxy(Number(new URL(address).port))
    return Object.assign(proxy, { delayMs: roundTripMs / 2 })
  }
  const service = await far(upstream.streamingUrl)
  const bff = createBff({
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: service ? `ws://127.0.0.1:${service.port}` : upstream.streamingUrl,
    authorize: () => ({ user: 'bench' }),
    limits: { tokensPerMinute: Infinity, meetingsPerMinute: Infinity },
  })
  const app = express()
  app.use('/api/voice', bff)
  for (const [path, text] of files)
    app.get(path, (_, response) => void response.type(extname(path)).send(text))
  const style = files.has('/page.css') ? '<link rel="stylesheet" href="/page.css">' : ''
  const html = `<!doctype html>${style}<script type="module" src="/page.js"></script>`
  app.get('/', (_, response) => void response.send(html))
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const near = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const host = await far(near)
  return {
    url: host ? `http://127.0.0.1:${host.port}/` : near,
    upstream,
    async [Symbol.asyncDispose]() {
      await host?.[Symbol.asyncDispose]()
      await service?.[Symbol.asyncDispose]()
      await upstream.close()
      server.closeAllConnections()
      await bff.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

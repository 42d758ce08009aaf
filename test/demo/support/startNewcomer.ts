import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BffOptions, createBff } from '@stagepass/bff'
import type { Emulator } from '@stagepass/emulator'
import react from '@vitejs/plugin-react'
import express, { type Request } from 'express'
import { createServer as createVite, defaultClientConditions, type ViteDevServer } from 'vite'

/** Serves the page of a new user to any number of servers. */
export interface NewcomersVite extends AsyncDisposable {
  readonly middlewares: ViteDevServer['middlewares']
}

const PAGE = 'docs/start/express.md'
/**
 * Vite as in the server of the start page, with the start page's own `index.html` and `main.tsx`. `?bff=…`
 * replaces the address of the BFF. `edit` changes the page further.
 */
export async function startNewcomersVite(edit = (tsx: string): string => tsx): Promise<NewcomersVite> {
  const text = readFileSync(PAGE, 'utf8')
  const block = (language: string): string =>
    new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(text)?.[1] ?? ''
  const address = "url: '/api/voice'"
  if (!block('tsx').includes(address)) throw new Error(`${PAGE} has no page with ${address}.`)
  // Inside the repository, so that the packages are found.
  mkdirSync('.cache', { recursive: true })
  const root = mkdtempSync('.cache/newcomer-')
  const replaced = "url: new URLSearchParams(location.search).get('bff') ?? '/api/voice'"
  writeFileSync(`${root}/index.html`, block('html'))
  writeFileSync(`${root}/main.tsx`, edit(block('tsx').replace(address, replaced)))
  const vite = await createVite({
    root,
    configFile: false,
    logLevel: 'silent',
    cacheDir: '.vite',
    plugins: [react()],
    resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  })
  return {
    middlewares: vite.middlewares,
    async [Symbol.asyncDispose]() {
      await vite.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

interface NewcomerOptions {
  readonly vite: NewcomersVite
  readonly service: Emulator
  /**
   * Where the BFF is mounted. Default `/api/voice`. `null`: in a separate server, not in the server of the
   * page.
   */
  readonly mount?: string | null
  /** Options that the new user wrote in place of the documented ones. */
  readonly bff?: Partial<BffOptions<Request>>
}

/** The server of docs/start/express.md with a mistake. */
export interface Newcomer extends AsyncDisposable {
  /** Address of the page. */
  readonly url: string
  /** Address of the BFF. */
  readonly bffUrl: string
}

export async function startNewcomer({
  vite,
  service,
  mount = '/api/voice',
  bff: own = {},
}: NewcomerOptions): Promise<Newcomer> {
  const voice = createBff<Request>({
    apiKey: service.apiKey,
    baseUrl: service.baseUrl,
    streamingUrl: service.streamingUrl,
    authorize: () => ({ user: 'ada', products: ['stt'] }),
    ...own,
  })
  const servers: ReturnType<typeof createServer>[] = []
  const listen = async (app: express.Express): Promise<string> => {
    const server = createServer(app).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const app = express()
  if (mount !== null) app.use(mount, voice)
  app.use(vite.middlewares)
  const url = await listen(app)
  const bffUrl =
    mount === null ? `${await listen(express().use('/api/voice', voice))}/api/voice` : url + mount
  return {
    url,
    bffUrl,
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      await voice.close()
    },
  }
}

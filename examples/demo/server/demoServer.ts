import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import type { Connect, Plugin, PreviewServer, ViteDevServer } from 'vite'
import { createServer } from 'vite'

/** The exports of `createDemo.ts`. Vite loads it from source, so its types are repeated here. */
interface DemoModule {
  readonly createDemo: (environment: NodeJS.ProcessEnv) => Promise<Demo>
}

interface Demo {
  readonly about: readonly string[]
  readonly pageHeaders: Readonly<Record<string, string>>
  readonly handle: RequestListener
  close(): Promise<void>
}

/** Runs the demo's server inside `vite dev` and `vite preview`. */
export function demoServer(): Plugin {
  return {
    name: 'stagepass-demo-server',

    async config({ server, preview }, { command, isPreview }) {
      const chosen = isPreview ? preview : server
      if (command === 'build' || server?.middlewareMode || chosen?.strictPort) return undefined
      return { [isPreview ? 'preview' : 'server']: { port: await findPort(chosen?.port ?? 0) } }
    },

    configureServer(vite) {
      // The second server of `vite preview`, below, does not listen.
      if (!vite.httpServer) return
      const demo = serve(vite, vite.httpServer)
      vite.middlewares.use(leadToOrigin)
      vite.middlewares.use((request, response, next) => {
        if (!request.url?.startsWith('/api/')) return next()
        demo().then(({ handle }) => handle(request, response), next)
      })
    },

    async configurePreviewServer(preview) {
      // A preview sets "production", but the login refuses that. The preview runs on this machine only.
      process.env.NODE_ENV = 'development'
      // A preview cannot load sources, so this dev server loads them. It does not listen.
      const vite = await createServer({
        configFile: preview.config.configFile ?? false,
        server: { middlewareMode: true, hmr: false, watch: null },
        // It must not use the cache of another dev server.
        cacheDir: 'node_modules/.vite-preview',
        optimizeDeps: { noDiscovery: true, include: [] },
      })
      const demo = serve(vite, preview.httpServer)
      preview.httpServer.once('close', () => void vite.close())
      preview.middlewares.use(leadToOrigin)
      preview.middlewares.use((request, response, next) => {
        demo().then(({ pageHeaders, handle }) => {
          // Not in `vite dev`, whose reloading needs inline scripts.
          for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value)
          if (request.url?.startsWith('/api/')) handle(request, response)
          else next()
        }, next)
      })
    },
  }
}

/**
 * The first port from this one that is free on ::1. Vite itself looks at the address on which it listens. A
 * browser tries ::1 first for http://localhost, so another server there would get the requests of the page.
 */
async function findPort(port: number): Promise<number> {
  const server = createSocketServer().listen(port, '::1')
  try {
    await once(server, 'listening')
    await once(server.close(), 'close')
    return port
  } catch (error) {
    // A machine without IPv6.
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return port
    console.log(`  Port ${port} is in use on ::1. Trying the next one …`)
    return findPort(port + 1)
  }
}

/** A page of 127.0.0.1 leads to the same page of localhost: the login knows one origin. */
const leadToOrigin: Connect.NextHandleFunction = ({ url = '', headers }, response, next) => {
  const { PUBLIC_ORIGIN = '' } = process.env
  const isOtherName = `http://${headers.host}` === PUBLIC_ORIGIN.replace('localhost', '127.0.0.1')
  if (!isOtherName || !/^\/(?:\?|$)/.test(url)) return next()
  response.writeHead(307, { location: PUBLIC_ORIGIN + url, 'cache-control': 'no-store' }).end()
}

/**
 * Runs the demo's server as long as the HTTP server listens. The returned function gets the present one: it
 * is created again when its code has changed.
 */
function serve(
  vite: ViteDevServer,
  httpServer: NonNullable<ViteDevServer['httpServer']> | PreviewServer['httpServer'],
): () => Promise<Demo> {
  let made: { by: DemoModule['createDemo']; demo: Promise<Demo> } | undefined

  async function current(): Promise<Demo> {
    const { createDemo } = (await vite.ssrLoadModule('/server/createDemo.ts')) as DemoModule
    if (made?.by !== createDemo) {
      void made?.demo.then((demo) => demo.close())
      made = { by: createDemo, demo: createDemo(process.env) }
    }
    return made.demo
  }

  httpServer.once('listening', () => {
    const { port } = httpServer.address() as AddressInfo
    // The login accepts requests from pages of this origin only.
    process.env.PUBLIC_ORIGIN ??= `http://localhost:${port}`
    console.log('  Starting the BFF and its upstream …')
    current().then(
      ({ about }) => console.log(['', ...about, ''].map((line) => `  ${line}`).join('\n')),
      (error: unknown) => fail(error instanceof Error ? error.message : String(error)),
    )
  })
  httpServer.once('close', () => void made?.demo.then((demo) => demo.close()))
  return current
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

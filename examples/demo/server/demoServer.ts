import type { RequestListener } from 'node:http'
import type { Plugin, PreviewServer, ViteDevServer } from 'vite'
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

    configureServer(vite) {
      // The second server of `vite preview`, below, does not listen.
      if (!vite.httpServer) return
      const demo = serve(vite, vite.httpServer, vite.config.server.port)
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
      const demo = serve(vite, preview.httpServer, preview.config.preview.port)
      preview.httpServer.once('close', () => void vite.close())
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
 * Runs the demo's server as long as the HTTP server listens. The returned function gets the present one: it
 * is created again when its code has changed.
 */
function serve(
  vite: ViteDevServer,
  httpServer: NonNullable<ViteDevServer['httpServer']> | PreviewServer['httpServer'],
  port: number,
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
    console.log('  Starting the BFF and its upstream …')
    current().then(
      ({ about }) => console.log(['', ...about, ''].map((line) => `  ${line}`).join('\n')),
      (error: unknown) => fail(error instanceof Error ? error.message : String(error)),
    )
  })
  httpServer.once('close', () => void made?.demo.then((demo) => demo.close()))
  // Vite's own message does not say how to solve it.
  httpServer.prependListener('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EADDRINUSE')
      fail(
        `Failed to start the demo: port ${port} is taken. Stop what runs there, or choose another: PORT=${port + 1} npm run dev`,
      )
  })
  return current
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

import type { EventEmitter } from 'node:events'
import type { RequestListener } from 'node:http'
import type { Connect, Logger, Plugin, ViteDevServer } from 'vite'
import { createServer } from 'vite'

/** What `createDemo.ts` exports. Vite loads it from source, so its shape is repeated here. */
interface DemoModule {
  readonly createDemo: (environment: NodeJS.ProcessEnv) => Promise<Demo>
}

interface Demo {
  readonly about: readonly string[]
  readonly pageHeaders: Readonly<Record<string, string>>
  readonly handle: RequestListener
  close(): Promise<void>
}

/** The demo's server as it is now. It is made again when its code has changed. */
interface Running {
  current(): Promise<Demo>
  close(): Promise<void>
}

const MODULE = '/server/createDemo.ts'

/** The BFF, and the emulator where no real service is named, inside `vite dev` and `vite preview`. */
export function demoServer(): Plugin {
  return {
    name: 'stagepass-demo-server',

    configureServer(vite) {
      // The server inside `vite preview`, below.
      if (!vite.httpServer) return
      const running = createRunning(vite)
      explainTakenPort(vite.httpServer, vite.config.server.port)
      vite.httpServer.once('listening', () => void announce(running, vite.config.logger))
      vite.httpServer.once('close', () => void running.close())
      vite.middlewares.use(serveApi(running))
    },

    async configurePreviewServer(preview) {
      explainTakenPort(preview.httpServer, preview.config.preview.port)
      // A preview loads no sources. A dev server that listens nowhere does.
      const vite = await createServer({
        configFile: preview.config.configFile ?? false,
        server: { middlewareMode: true, hmr: false, watch: null },
        // It serves no page, and must leave the cache of one that does alone.
        cacheDir: 'node_modules/.vite-preview',
        optimizeDeps: { noDiscovery: true, include: [] },
      })
      const running = createRunning(vite)
      preview.httpServer.once('listening', () => void announce(running, preview.config.logger))
      preview.httpServer.once('close', () => void running.close().then(() => vite.close()))
      preview.middlewares.use(secureHeaders(running))
      preview.middlewares.use(serveApi(running))
    },
  }
}

function createRunning(vite: ViteDevServer): Running {
  let made: { by: DemoModule['createDemo']; demo: Promise<Demo> } | undefined
  let closed = false

  const close = async (): Promise<void> => {
    closed = true
    const demo = await made?.demo.catch(() => undefined)
    made = undefined
    await demo?.close()
  }

  return {
    async current() {
      const { createDemo } = (await vite.ssrLoadModule(MODULE)) as DemoModule
      if (closed) throw new Error('The demo is stopping.')
      if (made?.by !== createDemo) {
        const before = made
        made = { by: createDemo, demo: createDemo(process.env) }
        void before?.demo.then((demo) => demo.close())
      }
      return made.demo
    },
    close,
  }
}

function serveApi(running: Running): Connect.NextHandleFunction {
  return (request, response, next) => {
    if (!request.url?.startsWith('/api/')) return next()
    running.current().then((demo) => demo.handle(request, response), next)
  }
}

/** `vite dev` cannot send them: its own reloading needs inline scripts. */
function secureHeaders(running: Running): Connect.NextHandleFunction {
  return (_request, response, next) => {
    running.current().then(({ pageHeaders }) => {
      for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value)
      next()
    }, next)
  }
}

async function announce(running: Running, logger: Logger): Promise<void> {
  logger.info('  Starting the BFF and its upstream …')
  try {
    const { about } = await running.current()
    logger.info(['', ...about, ''].map((line) => `  ${line}`).join('\n'))
  } catch (error) {
    logger.error(error instanceof Error ? error.message : String(error))
    process.exit(1)
  }
}

/** Vite's own message says what is wrong, and not what to do. */
function explainTakenPort(server: Pick<EventEmitter, 'prependListener'>, port: number): void {
  server.prependListener('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EADDRINUSE') return
    console.error(
      `Failed to start the demo: port ${port} is taken. Stop what runs there, or choose another: PORT=${port + 1} npm run dev`,
    )
    process.exit(1)
  })
}

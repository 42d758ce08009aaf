import type { HttpBindings } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Handler } from 'hono'
import type { Server } from 'node:http'

export interface Page {
  readonly handler: Handler<{ Bindings: HttpBindings }>
  close(): Promise<void>
}

interface PageOptions {
  readonly dev: boolean
  /** Vite tells the page of each edit through it. On the port of Vite, two applications would collide. */
  readonly server: Server
}

/** The page as `npm run build` has built it or, for development, as Vite compiles it. */
export async function openPage({ dev, server }: PageOptions): Promise<Page> {
  if (!dev) return { handler: serveStatic({ root: 'dist' }), close: () => Promise.resolve() }
  const { createServer } = await import('vite')
  const vite = await createServer({ root: '../page', server: { middlewareMode: true, hmr: { server } } })
  return {
    handler: async ({ env: { incoming, outgoing } }) => {
      await new Promise<void>((resolve) => {
        outgoing.once('close', resolve)
        vite.middlewares(incoming, outgoing, resolve)
      })
      return RESPONSE_ALREADY_SENT
    },
    close: () => vite.close(),
  }
}

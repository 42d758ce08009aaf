import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'

export interface Page {
  readonly handler: RequestHandler
  close(): Promise<void>
}

interface PageOptions {
  readonly dev: boolean
  /** Vite tells the page of each edit through it. On the port of Vite, two applications would collide. */
  readonly server: Server
}

/** The page as `npm run build` has built it or, for development, as Vite compiles it. */
export async function openPage({ dev, server }: PageOptions): Promise<Page> {
  if (!dev) {
    const folder = fileURLToPath(new URL('dist', import.meta.url))
    return { handler: express.static(folder), close: () => Promise.resolve() }
  }
  const { createServer } = await import('vite')
  const vite = await createServer({ root: '../page', server: { middlewareMode: true, hmr: { server } } })
  return { handler: vite.middlewares, close: () => vite.close() }
}

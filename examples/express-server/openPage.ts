import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'

export interface Page {
  readonly handler: RequestHandler
  close(): Promise<void>
}

/** The page as `npm run build` has built it or, for development, as Vite compiles it. */
export async function openPage({ dev }: { readonly dev: boolean }): Promise<Page> {
  if (!dev) {
    const folder = fileURLToPath(new URL('dist', import.meta.url))
    return { handler: express.static(folder), close: () => Promise.resolve() }
  }
  const { createServer } = await import('vite')
  const vite = await createServer({ root: '../page', server: { middlewareMode: true } })
  return { handler: vite.middlewares, close: () => vite.close() }
}

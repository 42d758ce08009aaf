import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { run } from '../../scripts/run.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = `${ROOT}.cache/site/`

/** Not the root of the host, because the site must work in a sub-path. */
const BASE = '/docs/kit/'
/** Where a reader would find it. */
export const ORIGIN = 'https://docs.example.com'

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript',
  md: 'text/markdown; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  yaml: 'application/yaml',
}

/** The built site, served as static files. */
export interface Site extends AsyncDisposable {
  readonly origin: string
  /** Addresses of all pages, from the root of the host. */
  readonly pages: readonly string[]
  /** True if there is a file at this path of the host. */
  has(path: string): boolean
}

async function build(): Promise<void> {
  // Vitest sets `test`, which would build the site with the development version of its libraries. But in
  // production the errors have no hints, and their page needs them.
  for (const [NODE_ENV, ...args] of [
    ['development', 'typedoc', '--options', `${ROOT}docs/typedoc.config.js`],
    ['development', 'tsx', '--conditions=@stagepass/source', `${ROOT}docs/generate/write.ts`],
    ['production', 'vitepress', 'build', `${ROOT}docs`, '--outDir', FOLDER],
  ] as const)
    if (
      (await run('npm', ['exec', '--workspace=@stagepass/docs', '--', ...args], {
        DOCS_BASE: BASE,
        DOCS_ORIGIN: ORIGIN,
        NODE_ENV,
      })) !== 0
    )
      throw new Error(`Failed to build the site: ${args.join(' ')}`)
}

export async function buildSite(): Promise<Site> {
  await build()
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  /** The file at a path of the host, or `undefined`. A path that ends with a slash is its index. */
  const fileAt = (path: string): string | undefined => {
    if (!path.startsWith(BASE)) return undefined
    const inside = decodeURIComponent(path.slice(BASE.length)).replace(/(^|\/)$/, '$1index.html')
    return files.includes(inside) && existsSync(join(FOLDER, inside)) ? join(FOLDER, inside) : undefined
  }
  const server = createServer((req, res) => {
    const found = fileAt(new URL(req.url ?? '/', 'http://localhost').pathname)
    const file = found ?? join(FOLDER, '404.html')
    const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
    // The status and headers of a host of static files.
    res.writeHead(found ? 200 : 404, { 'content-type': type, 'content-encoding': 'gzip' })
    res.end(gzipSync(readFileSync(file)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages: files
      .filter((file) => file.endsWith('.html') && file !== '404.html')
      .map((file) => BASE + file.replace(/(^|\/)index\.html$/, '$1'))
      .toSorted(),
    has: (path) => fileAt(path) !== undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/*
 * What the browser pays for each entry of @stagepass/react, minified and gzipped. Prints a table and exits 1 where a limit is passed.
 * React itself is in none of the figures: an application has it already.
 */

const source = fileURLToPath(new URL('../packages/react/src/', import.meta.url))

interface Entry {
  readonly name: string
  readonly code: string
  /** Packages that are left out beside React. */
  readonly external: readonly (string | RegExp)[]
  readonly limitBytes: number
}

const DEPENDENCIES = [/^@stagepass\/contract/, /^@tanstack\//, /^react-use-websocket/]
const KIB = 1_024

const extra = (name: string): Entry => ({
  name: `@stagepass/react/${name}`,
  code: `export * from ${JSON.stringify(`${source}${name}/index.ts`)}`,
  // What stands in the main entry is paid for there.
  external: DEPENDENCIES,
  limitBytes: 3 * KIB,
})

const main = `export * from ${JSON.stringify(`${source}index.ts`)}`

const entries: readonly Entry[] = [
  { name: '@stagepass/react', code: main, external: DEPENDENCIES, limitBytes: 6 * KIB },
  {
    name: '@stagepass/react with its dependencies and react-query',
    code: `${main}\nexport { QueryClient, QueryClientProvider } from '@tanstack/react-query'`,
    external: [],
    limitBytes: 25 * KIB,
  },
  extra('audio'),
  extra('codecs'),
  extra('devtools'),
]

async function sizeOf({ code, external }: Entry): Promise<{ minBytes: number; gzipBytes: number }> {
  const id = 'virtual:entry'
  const result = await build({
    root: source,
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['@stagepass/source', 'module', 'browser', 'production'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (asked) => (asked === id ? id : null),
        load: (asked) => (asked === id ? code : null),
      },
    ],
    build: {
      write: false,
      minify: true,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: id,
        external: [/^react($|\/)/, /^react-dom($|\/)/, ...external],
        preserveEntrySignatures: 'strict',
        output: { format: 'es' },
      },
    },
  })
  const outputs = Array.isArray(result) ? result : [result]
  const chunks = outputs.flatMap((output) => ('output' in output ? output.output : []))
  const text = chunks.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('')
  return { minBytes: Buffer.byteLength(text), gzipBytes: gzipSync(text, { level: 9 }).length }
}

let isOver = false
for (const entry of entries) {
  const { minBytes, gzipBytes } = await sizeOf(entry)
  const over = gzipBytes > entry.limitBytes
  isOver ||= over
  const percent = Math.round((gzipBytes / entry.limitBytes) * 100)
  console.log(
    `${over ? 'OVER' : ' ok '}  ${entry.name.padEnd(56)} ${minBytes.toString().padStart(7)} B min ${gzipBytes.toString().padStart(7)} B gzip of ${entry.limitBytes} (${percent} %)`,
  )
}
if (isOver) {
  console.error(
    'Failed to keep the size: an entry is over its limit. Leave something out, or move it to an entry of its own.',
  )
  process.exitCode = 1
}

import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { type Ratio, writeRatios } from './report/ratios.js'

/*
 * What the browser loads of @stagepass/react, minified and gzipped: everything, and what an application
 * imports of it. React is in none of the figures, because an application has it already. What is loaded on
 * demand is printed beside each figure; `docs/decisions/size.md` says what that is. Exits 1 if a figure is
 * over its aim.
 */

const source = fileURLToPath(new URL('../packages/react/src/', import.meta.url))

interface Measure {
  readonly name: string
  readonly code: string
  /** Packages that are left out beside React. */
  readonly external: readonly RegExp[]
  /** Above it the check fails: what is loaded at the start. */
  readonly aimBytes: number
  /** The same with every chunk that the hook ends up loading. */
  readonly totalAimBytes?: number
}

const LIBRARIES = [/^@tanstack\//, /^react-use-websocket/]
const KIB = 1_024

/** Vite's helper for imports on demand: the application has it, once for all its packages. */
const PRELOAD = '\0vite/preload-helper.js'
const NO_PRELOAD = 'export const __vitePreload = (load) => load()'

const entry = JSON.stringify(`${source}index.ts`)
const everything = `export * from ${entry}`
const alone = (name: string, hook: string, aimBytes: number, totalAimBytes?: number): Measure => ({
  name: `${name} alone`,
  code: `export { createVoiceClient, VoiceProvider, ${hook} } from ${entry}`,
  external: LIBRARIES,
  aimBytes,
  ...(totalAimBytes !== undefined && { totalAimBytes }),
})
const extra = (name: string, aimBytes = 3 * KIB): Measure => ({
  name: `@stagepass/react/${name}`,
  code: `export * from ${JSON.stringify(`${source}${name}/index.ts`)}`,
  // What the main entry has already: its rows are above.
  external: [/^@stagepass\/contract/, /^(\.\.\/)+(client|stream|platform)\//, ...LIBRARIES],
  aimBytes,
})

const measures: readonly Measure[] = [
  alone('token', 'useSessionToken', 9.6 * KIB),
  alone('meetings', 'useMeetings', 8 * KIB),
  alone('stream', 'useStream', 11.4 * KIB, 20.2 * KIB),
  {
    name: 'everything',
    code: everything,
    external: LIBRARIES,
    aimBytes: 13.8 * KIB,
    totalAimBytes: 22.6 * KIB,
  },
  {
    name: 'everything, its dependencies and react-query',
    code: `${everything}\nexport { QueryClient, QueryClientProvider } from '@tanstack/react-query'`,
    external: [],
    aimBytes: 28 * KIB,
  },
  extra('audio', 6.8 * KIB),
  extra('codecs'),
  extra('transcript', 2 * KIB),
  extra('devtools'),
]

interface Size {
  readonly minBytes: number
  readonly gzipBytes: number
  /** Gzipped chunks that are loaded later, if at all. */
  readonly laterBytes: number
}

async function sizeOf({ code, external }: Measure): Promise<Size> {
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
        enforce: 'pre',
        resolveId: (asked) => (asked === id || asked === PRELOAD ? asked : null),
        load: (asked) => (asked === id ? code : asked === PRELOAD ? NO_PRELOAD : null),
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
  const chunks = outputs
    .flatMap((output) => ('output' in output ? output.output : []))
    .flatMap((chunk) => (chunk.type === 'chunk' ? chunk : []))
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const now = new Set<string>()
  const load = (name: string): void => {
    const chunk = byName.get(name)
    if (!chunk || now.has(name)) return
    now.add(name)
    for (const needed of chunk.imports) load(needed)
  }
  for (const chunk of chunks) if (chunk.isEntry) load(chunk.fileName)

  const textOf = (isNow: boolean): string =>
    chunks
      .filter(({ fileName }) => now.has(fileName) === isNow)
      .map((chunk) => chunk.code)
      .join('')
  const gzip = (text: string): number => (text === '' ? 0 : gzipSync(text, { level: 9 }).length)
  return {
    minBytes: Buffer.byteLength(textOf(true)),
    gzipBytes: gzip(textOf(true)),
    laterBytes: gzip(textOf(false)),
  }
}

const ratios: Ratio[] = []
let isOver = false
for (const measure of measures) {
  const { minBytes, gzipBytes, laterBytes } = await sizeOf(measure)
  const { aimBytes: aim } = measure
  const over = gzipBytes > aim || gzipBytes + laterBytes > (measure.totalAimBytes ?? Infinity)
  isOver ||= over
  ratios.push({
    what: measure.name,
    beside: 'its aim',
    own: gzipBytes,
    other: aim,
    unit: 'bytes',
    aim: { atMost: 1 },
  })
  const columns = [
    over ? 'OVER' : '    ',
    measure.name.padEnd(44),
    `${minBytes} B min`.padStart(13),
    `${gzipBytes} B gzip`.padStart(14),
    `${(gzipBytes / aim).toFixed(2)} times the aim of ${aim} B`,
    laterBytes > 0 ? `+ ${laterBytes} B on demand` : '',
  ]
  console.log(columns.join('  ').trimEnd())
}
writeRatios(ratios)
if (isOver) {
  console.error(
    'Failed to keep the size: an entry is over its aim. Leave something out, or move it to an entry of its own.',
  )
  process.exitCode = 1
}

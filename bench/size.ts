import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { type Ratio, writeRatios } from './report/ratios.js'

/*
 * Sizes of @stagepass/react in the browser, minified and gzipped: the whole package, and the imports of
 * typical applications. React is not counted, because an application already has it. Exits with 1 if a size
 * is above its aim, or if the package is loaded in more than one file.
 */

const source = fileURLToPath(new URL('../packages/react/src/', import.meta.url))

interface Measure {
  readonly name: string
  readonly code: string
  /** Packages that are left out in addition to React. */
  readonly external: readonly RegExp[]
  /** The check fails above this size. */
  readonly aimBytes: number
}

const LIBRARIES = [/^@tanstack\//, /^react-use-websocket/]
const KIB = 1_024

const entry = JSON.stringify(`${source}index.ts`)
const everything = `export * from ${entry}`
const alone = (name: string, hook: string, aimBytes: number): Measure => ({
  name: `${name} alone`,
  code: `export { createVoiceClient, VoiceProvider, ${hook} } from ${entry}`,
  external: LIBRARIES,
  aimBytes,
})
const extra = (name: string, aimBytes = 3 * KIB): Measure => ({
  name: `@stagepass/react/${name}`,
  code: `export * from ${JSON.stringify(`${source}${name}/index.ts`)}`,
  // The main entry already has these: its rows are above.
  external: [/^@stagepass\/contract/, /^(\.\.\/)+(client|stream|platform)\//, ...LIBRARIES],
  aimBytes,
})

const measures: readonly Measure[] = [
  alone('token', 'useSessionToken', 7.4 * KIB),
  alone('meetings', 'useMeetings', 6.4 * KIB),
  alone('stream', 'useStream', 16.3 * KIB),
  {
    name: 'everything',
    code: everything,
    external: LIBRARIES,
    aimBytes: 20.1 * KIB,
  },
  {
    name: 'everything, its dependencies and react-query',
    code: `${everything}\nexport { QueryClient, QueryClientProvider } from '@tanstack/react-query'`,
    external: [],
    aimBytes: 32.6 * KIB,
  },
  {
    name: '@stagepass/react/audio, with @stagepass/audio',
    code: `export * from ${JSON.stringify(`${source}audio/index.ts`)}`,
    // The main entry already has these: its rows are above.
    external: [/^@stagepass\/contract/, /^(\.\.\/)+(client|stream|platform)\//, ...LIBRARIES],
    aimBytes: 6.6 * KIB,
  },
  extra('codecs'),
  extra('transcript', 2.5 * KIB),
  extra('devtools'),
]

interface Size {
  readonly minBytes: number
  readonly gzipBytes: number
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
        resolveId: (asked) => (asked === id ? asked : null),
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
  const chunks = outputs
    .flatMap((output) => ('output' in output ? output.output : []))
    .flatMap((chunk) => (chunk.type === 'chunk' ? chunk : []))
  const [chunk] = chunks
  if (!chunk || chunks.length > 1)
    throw new Error(`Failed to measure the size: there are ${chunks.length} files, and one is expected.`)
  return {
    minBytes: Buffer.byteLength(chunk.code),
    gzipBytes: gzipSync(chunk.code, { level: 9 }).length,
  }
}

const ratios: Ratio[] = []
let isOver = false
for (const measure of measures) {
  const { minBytes, gzipBytes } = await sizeOf(measure)
  const { aimBytes: aim } = measure
  const over = gzipBytes > aim
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

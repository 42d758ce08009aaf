import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * The rooms of each package: folders of its sources, from the lowest to the highest. `test/docs/rooms.test.ts` checks the sources against
 * this table. To add a package, add an entry.
 */

export interface PackageRooms {
  /** Files of the package's root. It is the highest room, unless `rooms` has a place for it: `.`. */
  readonly root: readonly string[]
  /** Files of the root that every room may import. */
  readonly shared?: readonly string[]
  /** Folders, lowest first. A file may import from its own room and from lower rooms, types included. */
  readonly rooms: readonly string[]
  /** Modules from outside that only some files may import, types included. A name that ends in `/` is a folder. */
  readonly only?: Readonly<Record<string, readonly string[]>>
}

export const ROOMS: Readonly<Record<string, PackageRooms>> = {
  contract: {
    root: ['index.ts', 'schemas.ts', 'titles.ts', 'transport.ts', 'userHeader.ts'],
    rooms: ['service', 'errors', 'schemas'],
    only: { zod: ['schemas/'] },
  },
  budget: {
    root: ['index.ts', 'BudgetOptions.ts', 'createBudget.ts'],
    rooms: ['core', 'core/rules', 'redis', 'waiting'],
  },
  emulator: {
    root: ['index.ts'],
    rooms: [
      'core/platform',
      'core/request',
      'core/speech',
      'core/store',
      'core/streams',
      'core/sockets',
      'core/faults',
      'core/meetings',
      'core/routes',
      'core',
      'node',
      'browser/wire',
      'browser/socket',
      'browser',
    ],
    only: { ws: ['node/'] },
  },
  bff: {
    root: ['index.ts', 'createBff.ts', 'createCore.ts', 'types.ts'],
    rooms: [
      'crypto',
      'context',
      'settings',
      'authorize',
      'request',
      'hosts',
      'transport',
      'upstream',
      'gate',
      'meetings',
      'routes',
      'otel',
      '.',
      'fetch',
    ],
    only: {
      'node:http': ['hosts/', 'createBff.ts'],
      'node:http2': ['hosts/'],
      '@opentelemetry/api': ['otel/'],
      jose: ['authorize/'],
      'undici/index.js': ['transport/undici.ts'],
    },
  },
  react: {
    root: ['index.ts', 'VoiceError.ts', 'VoiceProvider.tsx', 'createVoiceClient.ts', 'useVoiceClient.ts'],
    shared: ['VoiceError.ts'],
    rooms: [
      'platform',
      'audio/sound',
      'audio/microphone',
      'audio/playback',
      'client',
      'request',
      'token',
      'meetings',
      'stream/machine',
      'stream/wire',
      'stream/queue',
      'stream/watch',
      'stream',
      'audio',
      'codecs',
      'devtools',
      '.',
      'testing',
    ],
    only: { 'react-use-websocket/dist/lib/use-websocket.js': ['stream/wire/SocketHost.tsx'] },
  },
  doctor: {
    root: ['index.ts', 'runDoctor.ts'],
    rooms: ['report', 'net', 'settings', 'checks', 'wire/list', 'wire', 'bff', '.', 'cli'],
    only: { undici: ['net/'], ws: ['net/'] },
  },
}

interface SourceFile {
  /** Path below `src`. */
  readonly path: string
  readonly room: string
  /** Paths of imported sources, and names of imported modules. */
  readonly imports: readonly string[]
}

const packageSources = (name: string): string =>
  fileURLToPath(new URL(`../packages/${name}/src/`, import.meta.url))

/** Each place where the sources of a package differ from its table, as a sentence. */
export function roomProblems(name: string): string[] {
  const { root, shared = [], rooms: listed, only = {} }: PackageRooms = ROOMS[name] ?? { root: [], rooms: [] }
  const rooms = listed.includes('.') ? listed : [...listed, '.']
  const files = readSources(packageSources(name))
  const rankOf = (room: string): number => rooms.indexOf(room)

  const problems = files.flatMap((file) => {
    const { path, room, imports } = file
    const found: string[] = []
    if (rankOf(room) < 0) found.push(`${path} is in a folder that is not in the table`)
    if (room === '.' && !root.includes(path)) found.push(`${path} does not belong into the package's root`)
    for (const imported of imports) {
      const target = files.find((other) => other.path === imported)
      if (target && !shared.includes(imported) && rankOf(target.room) > rankOf(room))
        found.push(`${path} imports ${imported} from a higher room`)
      const allowed = only[imported]
      if (
        allowed &&
        !allowed.some((place) => path === place || (place.endsWith('/') && path.startsWith(place)))
      )
        found.push(`${path} imports ${imported}, which is allowed in ${allowed.join(', ')} only`)
    }
    return found
  })

  for (const cycle of cyclesOf(files)) problems.push(`a cycle: ${cycle.join(' -> ')}`)
  return problems
}

function readSources(folder: string): SourceFile[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path) && !/\.(?:test|test-d)\./.test(path))
  return paths.map((path) => {
    const text = readFileSync(folder + path, 'utf8')
    const room = posix.dirname(path)
    const imports = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) =>
      target.startsWith('.') ? sourceOf(posix.join(room, target), paths) : target,
    )
    return { path, room, imports }
  })
}

/** Path of the source behind an import such as `../gate/cors.js`. */
function sourceOf(imported: string, paths: readonly string[]): string {
  const stem = imported.replace(/\.jsx?$/, '')
  return paths.find((path) => path === `${stem}.ts` || path === `${stem}.tsx`) ?? imported
}

/** Cycles of files, each named once, from the file at which it was entered. */
function cyclesOf(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const done = new Set<string>()
  const cycles: string[][] = []
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path)
    if (start >= 0) return void cycles.push([...way.slice(start), path])
    if (done.has(path)) return
    for (const imported of byPath.get(path)?.imports ?? []) visit(imported, [...way, path])
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
  return cycles
}

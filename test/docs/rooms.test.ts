import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './programs.js'
import { readText } from './repositoryFiles.js'

/*
 * A package's folders import each other in one direction: an order exists in which each imports only from
 * folders before it. A file at the root of a package counts as a folder. Types count too. Lint looks for
 * cycles of files.
 */

/** Modules from outside that only some files may import. A name that ends in `/` is a folder. */
const ONLY: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  contract: { zod: ['schemas/'] },
  emulator: { ws: ['node/'] },
  bff: {
    'node:http': ['hosts/'],
    'node:http2': ['hosts/'],
    '@opentelemetry/api': ['telemetry/otel/', 'otel.ts'],
    jose: ['grant/presets/'],
    'undici/index.js': ['upstream/transport/undici.ts', 'upstream/transport/Handshake.ts'],
  },
  react: {
    'react-use-websocket/dist/lib/create-or-join.js': ['stream/wire/openSocket.ts'],
    'react-native': ['platform/createPlatform.native.ts'],
  },
  doctor: { ws: ['net/'] },
}

/** Paths below `src` that a file imports, and names of modules, by its path. */
function importsOf(name: string): Map<string, string[]> {
  const folder = `${ROOT}packages/${name}/src/`
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.(?:test|test-d)\./.test(path),
  )
  const sourceOf = (imported: string): string => {
    const stem = imported.replace(/\.jsx?$/, '')
    return paths.find((path) => path === `${stem}.ts` || path === `${stem}.tsx`) ?? imported
  }
  /** Files of a name such as `#openSocket`, for each condition. */
  const { imports = {} } = JSON.parse(readFileSync(`${ROOT}packages/${name}/package.json`, 'utf8')) as {
    imports?: Record<string, unknown>
  }
  const filesOf = (target: string): string[] =>
    [...JSON.stringify(imports[target]).matchAll(/"\.\/src\/([^"]+)"/g)].map(([, path = '']) => path)
  return new Map(
    paths.map((path) => {
      const text = readFileSync(folder + path, 'utf8')
      const targets = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(
        ([, target = '']) => {
          if (target.startsWith('#')) return filesOf(target)
          return target.startsWith('.') ? sourceOf(posix.join(posix.dirname(path), target)) : target
        },
      )
      return [path, targets]
    }),
  )
}

/** The folder of a file, or the file itself if it is at the root. */
const roomOf = (path: string): string => (path.includes('/') ? posix.dirname(path) : path)

interface Edge {
  readonly from: string
  readonly to: string
  readonly text: string
}

/** For each import that leads out of its folder: the two folders, and the two files. */
function edgesOf(name: string): Edge[] {
  const imports = importsOf(name)
  return [...imports].flatMap(([path, targets]) =>
    targets
      .filter((target) => imports.has(target) && roomOf(target) !== roomOf(path))
      .map((target) => ({ from: roomOf(path), to: roomOf(target), text: `${path} imports ${target}` })),
  )
}

const PACKAGES = readdirSync(`${ROOT}packages`).filter((name) => name !== 'testing')

it.each(PACKAGES)('the folders of %s import each other in one direction', (name) => {
  let edges = edgesOf(name)
  // Repeatedly removes the folders that import none of the remaining ones, until none is left or the rest is
  // a cycle.
  for (let count = -1; edges.length !== count;) {
    count = edges.length
    const importing = new Set(edges.map(({ from }) => from))
    edges = edges.filter(({ to }) => importing.has(to))
  }
  // Folders that only import from the cycle, and are not imported by it, are not part of it.
  for (let count = -1; edges.length !== count;) {
    count = edges.length
    const imported = new Set(edges.map(({ to }) => to))
    edges = edges.filter(({ from }) => imported.has(from))
  }
  // The direction with the fewest imports is usually the wrong one.
  const countOf = (edge: Edge): number =>
    edges.filter(({ from, to }) => from === edge.from && to === edge.to).length
  const inOrder = edges.toSorted((a, b) => countOf(a) - countOf(b))
  expect(inOrder.map(({ text }) => text)).toEqual([])
})

it.each(Object.entries(ONLY))('%s imports some modules from few files only', (name, only) => {
  const wrong = [...importsOf(name)].flatMap(([path, targets]) =>
    targets
      .filter((target) => {
        const places = only[target]
        return (
          places && !places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))
        )
      })
      .map((target) => `${path} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

it.each([
  ['bff', 'The rooms of the BFF'],
  ['react', 'The rooms of the page'],
])(
  'the table of the rooms of %s has all of them, and each imports only rooms further down',
  (name, section) => {
    const text = readText('docs/architecture.md').split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
    const order = [...text.matchAll(/^- \*\*([a-z]+)\*\*: /gm)].map(([, room = '']) => room)

    const outermost = (room: string): string => room.split('/')[0] ?? room
    const found = edgesOf(name).map(({ from, to, text: edge }) => ({
      from: outermost(from),
      to: outermost(to),
      edge,
    }))
    const inside = found.filter(({ from, to }) => order.includes(from) && from !== to)
    const upwards = inside.filter(({ from, to }) => order.indexOf(to) < order.indexOf(from))
    expect(upwards.map(({ edge }) => edge)).toEqual([])

    const rooms = found.flatMap(({ from, to }) => [from, to]).filter((room) => !/\.tsx?$/.test(room))
    expect(new Set(order)).toEqual(new Set(rooms))
  },
)

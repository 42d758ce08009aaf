import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ITEMS, type ItemName } from './items.js'

/*
 * Makes the files that the docs site serves under `/r/`. Each has the version of the packages in its path,
 * and never changes under it:
 *
 *     <version>/<name>.json     the item for `shadcn add`, with all that it needs of other items
 *     <version>/registry.json   the list of the items
 *     <version>/digests.json    SHA-256 of each file, as in an attribute `integrity`
 *
 * `npm run build -w registry` writes them into `registry/dist/r`. Two builds of one commit are equal.
 */

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const FILES = join(FOLDER, 'items')
const SCHEMA = 'https://ui.shadcn.com/schema'

/** Where the files go in an application. `shadcn` puts `src/` before it, if there is one. */
export const TARGET = 'components/stagepass'

/** `shadcn search` wants one, and these files do not know the address of their site. */
const HOMEPAGE = 'https://www.npmjs.com/package/@stagepass/react'

/**
 * `shadcn add` prints it in the end. Only the whole page has it: of several items in one command, `shadcn`
 * would print the text of each.
 */
const AFTERWARDS =
  'It needs a <QueryClientProvider> of @tanstack/react-query, a <VoiceProvider> in it, and a server with ' +
  '@stagepass/bff. All at once: npm create stagepass@latest'

const react = JSON.parse(readFileSync(join(FOLDER, '../packages/react/package.json'), 'utf8')) as {
  readonly version: string
}

/** The version of the packages for which the items are written. */
export const VERSION = react.version

/**
 * The package to install. Not its peer `@tanstack/react-query`: `shadcn` would raise the version that an
 * application has. npm installs it with the package, if there is none.
 */
const DEPENDENCIES = [`@stagepass/react@^${VERSION}`]

/** Text of a file of an item. */
export const readItem = (name: ItemName, ending: 'tsx' | 'css'): string =>
  readFileSync(join(FILES, `${name}.${ending}`), 'utf8')

/** Hooks that only this item uses: `items/use….ts`. */
const hooksOf = (name: ItemName): string[] =>
  importsOf(readItem(name, 'tsx')).flatMap((path) => /^\.\/(use\w+)$/.exec(path)?.[1] ?? [])

/** The files of an item, without those of other items. */
export const filesOf = (name: ItemName): string[] => [
  `${name}.tsx`,
  `${name}.css`,
  ...hooksOf(name).map((hook) => `${hook}.ts`),
]

export const readItemFile = (file: string): string => readFileSync(join(FILES, file), 'utf8')

/** How a page uses an item. `items` is the path to the items. */
export const exampleOf = (name: ItemName, items: string): string =>
  readFileSync(join(FOLDER, `examples/${name}.tsx`), 'utf8').replaceAll('../items/', items)

export const ITEM_NAMES = Object.keys(ITEMS) as ItemName[]

/** The names that a file imports. */
export const importsOf = (code: string): string[] =>
  [...code.matchAll(/(?:from|import) '([^']+)'/g)].map(([, name = '']) => name)

/** The item, and then the items that it is made of. */
export function partsOf(name: ItemName): ItemName[] {
  const others = importsOf(readItem(name, 'tsx'))
    .filter((path) => /^\.\/(?!use[A-Z]).*(?<!\.css)$/.test(path))
    .flatMap((path) => partsOf(path.slice('./'.length) as ItemName))
  return [...new Set([name, ...others])]
}

const toJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/**
 * As the list has it. With these types `shadcn` asks for no Tailwind, no `components.json` and nothing of
 * ui.shadcn.com. And with all files in it, no second address can be missing.
 */
const describe = (name: ItemName) => ({
  name,
  type: 'registry:item',
  title: ITEMS[name].title,
  description: ITEMS[name].description,
  dependencies: DEPENDENCIES,
  files: partsOf(name)
    .flatMap(filesOf)
    .map((path) => ({ path, type: 'registry:file', target: `${TARGET}/${path}` })),
  ...(name === 'voice-page' && { docs: AFTERWARDS }),
})

/** The same with the texts of its files. */
function itemFile(name: ItemName): string {
  const { files, ...item } = describe(name)
  const withTexts = files.map((file) => ({ ...file, content: readItemFile(file.path) }))
  return toJson({ $schema: `${SCHEMA}/registry-item.json`, ...item, files: withTexts })
}

export const digestOf = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`

/** All files of this version, by their path below `/r/`. */
export function registryFiles(): Map<string, string> {
  const files = new Map<string, string>()
  for (const name of ITEM_NAMES) files.set(`${name}.json`, itemFile(name))
  const items = ITEM_NAMES.map(describe)
  const list = { $schema: `${SCHEMA}/registry.json`, name: 'stagepass', homepage: HOMEPAGE, items }
  files.set('registry.json', toJson(list))
  const digests = Object.fromEntries([...files].map(([path, text]) => [path, digestOf(text)]))
  files.set('digests.json', toJson(digests))
  return new Map([...files].map(([path, text]) => [`${VERSION}/${path}`, text]))
}

/**
 * The same, and the files that a site has served before, from the folder of its `/r/`: an address that
 * somebody has written down stays. Throws if one of them would change.
 */
export function servedFiles(before: string | undefined): Map<string, string> {
  const files = registryFiles()
  if (before === undefined) return files
  for (const entry of readdirSync(before, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name).slice(join(before, '/').length)
    const text = readFileSync(join(before, path), 'utf8')
    if ((files.get(path) ?? text) !== text)
      throw new Error(
        `Failed to build the registry: /r/${path} was served with other bytes. Raise the version.`,
      )
    files.set(path, text)
  }
  return files
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = join(FOLDER, 'dist/r')
  rmSync(out, { recursive: true, force: true })
  for (const [path, text] of registryFiles()) {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, path), text)
  }
}

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { type Template, TEMPLATES } from '../packages/create-stagepass/src/templates.js'
import { ITEMS } from '../registry/items.js'
import { absoluteLinks, readRepository } from './absoluteLinks.js'

const ROOT = resolve(import.meta.dirname, '..')

type Dependencies = Readonly<Record<string, string>>

interface Manifest {
  readonly version: string
  readonly dependencies: Dependencies
  readonly devDependencies: Dependencies
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest

/** An example depends on the packages of the workspace. In a template they become the published versions. */
const publishedVersions = (dependencies: Dependencies): Dependencies =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => {
      const [, own] = /^@stagepass\/(.+)/.exec(name) ?? []
      return [name, own === undefined ? version : `^${readManifest(`packages/${own}`).version}`]
    }),
  )

/** The folder of the page in each application. */
const PAGE_OF: Readonly<Record<Template, string>> = {
  express: 'page',
  next: 'app',
  'react-router': 'app',
  hono: 'page',
  workers: 'page',
}

type Copies = Readonly<Partial<Record<Template, string>>>

const inPage = (file: string): Copies =>
  Object.fromEntries(Object.entries(PAGE_OF).map(([template, page]) => [template, `${page}/${file}`]))

const inFolder = (file: string): Copies =>
  Object.fromEntries(Object.keys(PAGE_OF).map((template) => [template, file]))

/** Next.js and React Router build the page themselves. */
const withVite = (file: string): Copies => ({ express: file, hono: file, workers: file })

/**
 * Files that several examples import from one place, by their path in `examples/`. Each application has a
 * copy at this path.
 */
export const SHARED: Readonly<Record<string, Copies>> = {
  'login/login.ts': {
    express: 'login.ts',
    next: 'lib/login.ts',
    'react-router': 'app/login.server.ts',
    hono: 'login.ts',
    workers: 'login.ts',
  },
  'login/remoteAddress.ts': { next: 'lib/remoteAddress.ts', 'react-router': 'app/remoteAddress.server.ts' },
  'login/SignIn.tsx': inPage('SignIn.tsx'),
  'server/.env.example': inFolder('.env.example'),
  'server/AGENTS.md': inFolder('AGENTS.md'),
  'server/with-emulator.js': inFolder('with-emulator.js'),
  'server/tsconfig.json': withVite('tsconfig.json'),
  'server/voice.ts': { hono: 'voice.ts', workers: 'voice.ts', 'react-router': 'app/voice.server.ts' },
  'page/index.html': withVite('page/index.html'),
  'page/main.tsx': withVite('page/main.tsx'),
  'page/vite.config.ts': withVite('page/vite.config.ts'),
  'page/filters.ts': { next: 'app/filters.ts', 'react-router': 'app/filters.ts' },
  'page/Workplace.tsx': inPage('Workplace.tsx'),
  'page/captions.test.tsx': inPage('captions.test.tsx'),
  'page/workplace.css': inPage('workplace.css'),
  '../registry/items/useMeetingsForm.ts': inPage('stagepass/useMeetingsForm.ts'),
  ...Object.fromEntries(
    Object.keys(ITEMS).flatMap((name) =>
      ['tsx', 'css'].map((kind) => [
        `../registry/items/${name}.${kind}`,
        inPage(`stagepass/${name}.${kind}`),
      ]),
    ),
  ),
}

const stemOf = (path: string): string => path.replace(/\.(?:js|tsx?)$/, '')

/** Returns the file of an import, as a path in `examples/`. */
const targetOf = (path: string, folder: string): string =>
  path.startsWith('@stagepass/registry/')
    ? path.replace('@stagepass/registry', '../registry/items')
    : posix.join(folder, path)

/**
 * Changes the imports of a file to the application's own copies of shared files.
 *
 * @param source path of the file in `examples/`
 * @param file its path in the application
 */
const ownImports = (text: string, template: Template, source: string, file: string): string =>
  text.replaceAll(
    /(?<= from |\bimport\()'((?:\.\.?|@stagepass\/registry)\/[^']+)'/g,
    (line, path: string) => {
      const imported = targetOf(path, posix.dirname(source))
      const [, copies] = Object.entries(SHARED).find(([shared]) => stemOf(shared) === stemOf(imported)) ?? []
      const copy = copies?.[template]
      if (copy === undefined) return line
      const own = posix.relative(posix.dirname(file), stemOf(copy))
      return `'${own.startsWith('.') ? own : `./${own}`}${path.endsWith('.js') ? '.js' : ''}'`
    },
  )

/** Commands and settings name the folders that the examples share. An application has these files itself. */
const ownPaths = (text: string): string => text.replaceAll('../page', 'page').replaceAll('../server/', '')

/** Copies a file of `examples/` into an application. */
function copyInto(folder: string, template: Template, source: string, file: string): void {
  const copy = join(folder, template, file)
  mkdirSync(dirname(copy), { recursive: true })
  copyFileSync(join(ROOT, 'examples', source), copy)
  if (/\.(?:tsx?|jsonc)$/.test(file))
    writeFileSync(copy, ownPaths(ownImports(readFileSync(copy, 'utf8'), template, source, file)))
}

/** A link to a shared file becomes the path of the application's copy. */
const ownLinks = (page: string, template: Template): string =>
  page.replaceAll(/\[[^\]]+\]\((\.\.\/[^)]*)\)/g, (link, path: string) => {
    const copy = SHARED[posix.join(TEMPLATES[template].example, path)]?.[template]
    return copy === undefined ? link : `\`${copy}\``
  })

/**
 * Writes the templates of create-stagepass into a folder, each from an example. Only files in git, so that no
 * developer's `.env` is published. Without tests, which are only for this repository. `repository` is its
 * address in a browser.
 */
export function writeTemplates(folder: string, repository = readRepository('create-stagepass')): void {
  rmSync(folder, { recursive: true, force: true })
  for (const template of Object.keys(TEMPLATES) as Template[]) {
    const { example } = TEMPLATES[template]
    const cwd = join(ROOT, 'examples', example)
    const files = execFileSync('git', ['ls-files', '-z'], { cwd, encoding: 'utf8' }).split('\0')
    for (const file of files.filter((file) => file && !file.includes('.test.')))
      copyInto(folder, template, `${example}/${file}`, file)
    for (const [shared, { [template]: copy }] of Object.entries(SHARED))
      if (copy !== undefined) copyInto(folder, template, shared, copy)

    const manifest = readManifest(`examples/${example}`)
    const { dependencies, devDependencies } = manifest
    const published = {
      ...manifest,
      dependencies: publishedVersions(dependencies),
      devDependencies: publishedVersions(devDependencies),
    }
    writeFileSync(join(folder, template, 'package.json'), `${ownPaths(JSON.stringify(published, null, 2))}\n`)
    const readme = join(folder, template, 'README.md')
    const page = ownLinks(readFileSync(readme, 'utf8'), template)
    const source = `examples/${example}`
    writeFileSync(readme, absoluteLinks(page, `${source}/README.md`, source, repository))
  }
}

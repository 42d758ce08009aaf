import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEMPLATES } from '../../packages/create-stagepass/src/templates.js'
import { packBuilt, provideTarballs } from '../../scripts/pack.js'
import { COMMON_JS, PACKAGES, STARTER } from '../../scripts/packages.js'
import { filesEndingIn, readText } from '../docs/repositoryFiles.js'

const ROOT = resolve(import.meta.dirname, '../..')
/** Other packages that our packages and the application need. */
const OTHERS = [
  '@tanstack/react-query',
  'express',
  'jose',
  'lossless-json',
  'lru-cache',
  'react',
  'react-use-websocket',
  'redis',
  'undici',
  'ws',
  'zod',
]

interface Manifest {
  readonly version: string
  readonly license: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
}

interface SourceMap {
  readonly sourceRoot?: string
  readonly sources: readonly string[]
}

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stagepass-tarballs-'))
  unpack(await provideTarballs(folder), folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function unpack(tarballs: Readonly<Record<string, string>>, into: string): void {
  for (const [name, path] of Object.entries(tarballs)) {
    const target = join(into, 'node_modules', name)
    mkdirSync(target, { recursive: true })
    execFileSync('tar', ['-xzf', path, '-C', target, '--strip-components=1'])
  }
}

const placeOf = (name: string, within = folder): string => join(within, 'node_modules', name)

const read = (name: string, path: string): string => readFileSync(join(placeOf(name), path), 'utf8')

/** Paths of the files in a tarball. */
const filesOf = (name: string): string[] =>
  readdirSync(placeOf(name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => posix.relative(placeOf(name), posix.join(entry.parentPath, entry.name)))

/** The links of the pages of a package. */
const linksIn = (place: string) =>
  readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...readFileSync(join(place, file), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({
        file,
        link,
        path: posix.join(posix.dirname(file), link.replace(/#.*/, '')),
      })),
    )

/** The relative links that lead out of a package, or to nothing. */
const missingLinks = (place: string) =>
  linksIn(place).filter(
    ({ link, path }) =>
      !/^(?:https?:|#)/.test(link) && (path.startsWith('..') || !existsSync(join(place, path))),
  )

const LIBRARIES = PACKAGES.map((name) => `@stagepass/${name}`)

describe.each([...LIBRARIES, STARTER])('the tarball of %s', (name) => {
  it('S43 holds the license and a README', () => {
    expect(read(name, 'LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
    expect(read(name, 'README.md')).toContain(`# ${name}`)
    expect((JSON.parse(read(name, 'package.json')) as Manifest).license).toBe('MIT')
  })

  it('S43 accepts security patches of its dependencies', () => {
    const { dependencies = {} } = JSON.parse(read(name, 'package.json')) as Manifest
    // These packages have no dependencies.
    expect(Object.keys(dependencies).length > 0).toBe(
      !['@stagepass/audio', '@stagepass/budget', STARTER].includes(name),
    )
    // The tilde is for the SDK of OpenTelemetry, which refuses the next minor version of its own interface.
    for (const range of Object.values(dependencies)) expect(range).toMatch(/^[~^]\d+\.\d+\.\d+$/)
  })

  it('S43 runs nothing when it is installed', () => {
    const { scripts = {} } = JSON.parse(read(name, 'package.json')) as Manifest
    for (const hook of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(scripts).not.toHaveProperty(hook)
    expect(filesOf(name).filter((file) => file.endsWith('.gyp'))).toEqual([])
  })

  it('S43 holds no path of the machine that packed it', () => {
    const files = filesOf(name).map((file) => [file, read(name, file)] as const)
    for (const place of [ROOT, homedir(), tmpdir()].filter((path) => path.length > 1))
      expect(files.filter(([, text]) => text.includes(place)).map(([file]) => file)).toEqual([])
  })

  it('has no link to a file that it does not hold', () => {
    expect(missingLinks(placeOf(name))).toEqual([])
  })

  it('holds no test', () => {
    const own = filesOf(name).filter((file) => !file.startsWith('dist/templates/'))
    expect(own.filter((file) => /\.(test|test-d|kit|tsbuildinfo)(\.|$)/.test(file))).toEqual([])
  })
})

describe.each(LIBRARIES)('the tarball of %s', (name) => {
  it('S43 holds the source of each of its maps', () => {
    const files = new Set(filesOf(name))
    const maps = [...files].filter((file) => file.endsWith('.map'))
    expect(maps.length).toBeGreaterThan(10)
    for (const map of maps) {
      const { sourceRoot = '', sources } = JSON.parse(read(name, map)) as SourceMap
      expect(sourceRoot).toBe('')
      for (const source of sources) expect(files).toContain(posix.join(posix.dirname(map), source))
    }
  })

  it('holds its skills', () => {
    const own = join(ROOT, 'packages', name.replace('@stagepass/', ''), 'skills')
    const skills = existsSync(own) ? readdirSync(own).map((skill) => `skills/${skill}/SKILL.md`) : []
    expect(skills.length > 0).toBe(name === '@stagepass/bff' || name === '@stagepass/react')
    const held = filesOf(name).filter((file) => file.startsWith('skills/'))
    expect(held.toSorted()).toEqual(skills.toSorted())
  })

  it('holds sources and their builds', () => {
    const files = filesOf(name)
    const stems = (folder: string, ending: RegExp): string[] =>
      files
        .filter((file) => file.startsWith(folder) && ending.test(file))
        .map((file) => file.slice(folder.length).replace(ending, ''))
        .toSorted()
    // The modules of the worklets are built into two files, which count as sources.
    const sources = stems('src/', /(?<!\.d)\.(ts|tsx|js)$/).filter((file) => !file.startsWith('worklets/'))
    expect(stems('dist/', /(?<!\.d)\.js$/).filter((file) => !file.startsWith('cjs/'))).toEqual(sources)
    // Commands are only ES modules, because nothing requires them.
    const required = sources.filter((file) => !/(?:^|\/)cli\b/.test(file))
    const isCommonJs = COMMON_JS.includes(name.replace('@stagepass/', ''))
    expect(stems('dist/cjs/', /\.js$/)).toEqual(isCommonJs ? required : [])
  })
})

const pagesOfPackages = (): string[] => filesEndingIn(/\.md$/, 'packages/').map(readText)

const ADDRESS = 'https://git.example/team/stagepass'

describe.each([
  ['with the address of the repository', ADDRESS],
  ['without the address of the repository', ''],
])('packages that are packed %s', (_name, repository) => {
  let packed: string
  let before: readonly string[]
  beforeAll(async () => {
    before = pagesOfPackages()
    packed = mkdtempSync(join(tmpdir(), 'stagepass-links-'))
    unpack(await packBuilt(packed, repository), packed)
  })
  afterAll(() => rmSync(packed, { recursive: true, force: true }))

  it.each([...LIBRARIES, STARTER])('%s has no link to a file that it does not hold', (name) => {
    const place = placeOf(name, packed)
    expect(missingLinks(place)).toEqual([])
    const own = linksIn(place).filter(
      ({ file, link }) => !file.startsWith('dist') && link.startsWith(ADDRESS),
    )
    expect(own.length > 0).toBe(repository !== '')
    const paths = own.map(({ link }) => link.replace(`${ADDRESS}/blob/main/`, '').replace(/#.*/, ''))
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it.each([...LIBRARIES, STARTER])('%s names its place in the repository, if it has one', (name) => {
    const manifest = readFileSync(join(placeOf(name, packed), 'package.json'), 'utf8')
    const { homepage, bugs, repository: place } = JSON.parse(manifest) as Record<string, unknown>
    const folder = `packages/${name.replace('@stagepass/', '')}`
    expect({ homepage, bugs, place }).toEqual(
      repository === ''
        ? {}
        : {
            homepage: `${ADDRESS}/tree/main/${folder}#readme`,
            bugs: `${ADDRESS}/issues`,
            place: { type: 'git', url: `git+${ADDRESS}.git`, directory: folder },
          },
    )
  })

  it.each(['@stagepass/react', '@stagepass/bff'])(
    '%s has a list of its pages for programs that read',
    (name) => {
      const place = placeOf(name, packed)
      const text = readFileSync(join(place, 'llms.txt'), 'utf8')
      const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
      expect(links).toEqual(expect.arrayContaining(['README.md']))
      expect(links.length).toBe(1 + readdirSync(join(place, 'skills')).length)
      expect(links.filter((path) => !existsSync(join(place, path)))).toEqual([])
      expect(text).toContain(`\`${name}\``)
    },
  )

  it('changes no page of the repository', () => {
    expect(pagesOfPackages()).toEqual(before)
  })
})

it('create-stagepass holds its program and the templates, without a file of one developer', () => {
  const sources = readdirSync(join(ROOT, 'packages', STARTER, 'src')).filter(
    (file) => !file.includes('.test.'),
  )
  const programs = sources.map((file) => `dist/${file.replace(/ts$/, 'js')}`)
  const files = filesOf(STARTER)
  const others = files.filter((file) => !file.startsWith('dist/templates/'))
  expect(others.toSorted()).toEqual([...programs, 'LICENSE', 'README.md', 'package.json'].toSorted())
  for (const template of Object.keys(TEMPLATES))
    expect(files).toContain(`dist/templates/${template}/.env.example`)
  expect(files.filter((file) => /node_modules|\.env$|lock|\.next/.test(file))).toEqual([])
})

// `npm run check` installs the tarballs with every installer, with dependencies from the registry. Here the
// dependencies are those of the repository.
it('load as the same modules by `import` and by `require`, and mint a token', () => {
  for (const name of OTHERS) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), link)
  }
  for (const file of ['one.mjs', 'require.cjs']) {
    copyFileSync(join(ROOT, 'scripts/consumer/apps/modules', file), join(folder, file))
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' })
    // `stderr` is compared only to show it in a failure. Node may also print warnings.
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.any(String) })
  }
})

// The application has no @opentelemetry/api.
it('need OpenTelemetry only for the entry that uses it', () => {
  const load = (entry: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', `await import('${entry}')`], {
      cwd: folder,
      encoding: 'utf8',
    })
  expect(load('@stagepass/bff')).toMatchObject({ status: 0 })
  const otel = load('@stagepass/bff/otel')
  expect(otel.status).toBe(1)
  expect(otel.stderr).toContain("Cannot find package '@opentelemetry/api'")
})

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildProgram, type Program, type RunOptions } from './program.test.kit.js'
import { SHARED, writeTemplates } from '../../../scripts/templates.js'
import { type Template, TEMPLATES } from './templates.js'

let program: Program
beforeAll(() => {
  program = buildProgram()
})
afterAll(() => program?.[Symbol.dispose]())

const run = (args: readonly string[], options: RunOptions = {}) => program.run(args, options)

const NAMES = Object.keys(TEMPLATES) as Template[]
const EXAMPLES = new URL('../../../examples/', import.meta.url).pathname

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()

/** The files that the examples share have another path in an application. */
const withoutPaths = (path: string): string =>
  readFileSync(path, 'utf8')
    .replaceAll(/(?<=(?: from |import\()')(?:\.|@stagepass\/registry)[^']+(?=')/g, '')
    .replaceAll('../page', 'page')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly private: boolean
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}
const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

const { version: VERSION } = readManifest(new URL('..', import.meta.url).pathname)

describe.each(NAMES)('the template %s', (template) => {
  const example = join(EXAMPLES, TEMPLATES[template].example)

  it('is the example, without its tests and with a .gitignore', () => {
    const { cwd, status, stderr } = run(['my-app', '--template', template])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const app = join(cwd, 'my-app')
    const tracked = execFileSync('git', ['ls-files'], { cwd: example, encoding: 'utf8' }).trim().split('\n')
    const files = tracked.filter((file) => !file.includes('.test.'))
    const copies = Object.entries(SHARED).flatMap(([shared, { [template]: copy }]) =>
      copy === undefined ? [] : [{ shared, copy }],
    )
    expect(filesBelow(app)).toEqual([...files, ...copies.map(({ copy }) => copy), '.gitignore'].toSorted())
    const others = files.filter((file) => !['package.json', 'README.md'].includes(file))
    for (const file of others) expect(withoutPaths(join(app, file))).toBe(withoutPaths(join(example, file)))
    for (const { shared, copy } of copies)
      expect(withoutPaths(join(app, copy))).toBe(withoutPaths(join(EXAMPLES, shared)))
    expect(readFileSync(join(app, '.gitignore'), 'utf8').split('\n')).toEqual(
      expect.arrayContaining(['node_modules/', '.env']),
    )
  })

  it('has its own name, and the published versions of the packages', () => {
    const { cwd } = run(['my-app', '--template', template])
    const app = readManifest(join(cwd, 'my-app'))
    const { dependencies, devDependencies, scripts } = readManifest(example)
    const published = (versions: Manifest['dependencies']) =>
      Object.fromEntries(
        Object.entries(versions).map(([name, version]) => [
          name,
          name.startsWith('@stagepass/') ? `^${VERSION}` : version,
        ]),
      )
    expect(app).toEqual({
      name: 'my-app',
      version: '0.0.0',
      private: true,
      type: 'module',
      scripts: Object.fromEntries(
        Object.entries(scripts).map(([name, command]) => [
          name,
          command.replace('../server/', '').replace('../page', 'page'),
        ]),
      ),
      dependencies: published(dependencies),
      devDependencies: published(devDependencies),
    })
  })

  it('has its own README: its name, absolute addresses, and no mention of an example', () => {
    const { cwd } = run(['my-app', '--template', template])
    const app = join(cwd, 'my-app')
    const readme = readFileSync(join(app, 'README.md'), 'utf8')
    expect(readme).toMatch(/^# my-app\n/)
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !/^(?:https:\/\/|#)/.test(link))).toEqual([])
    expect(links.join('\n')).toContain('https://git.example/stagepass/blob/main/')
    const prose = readme.replaceAll(/\]\([^)]+\)|\.env\.example/g, '')
    expect(prose).not.toMatch(/\bexample/i)
  })

  it('has its own login, which each import finds', () => {
    const { cwd } = run(['my-app', '--template', template])
    const app = join(cwd, 'my-app')
    const sources = filesBelow(app).filter((file) => /\.tsx?$/.test(file))
    const imports = sources.flatMap((file) =>
      [...readFileSync(join(app, file), 'utf8').matchAll(/(?: from |import\()'(\.[^']+)'/g)].map(
        ([, path = '']) => join(file, '..', path).replace(/\.js$/, ''),
      ),
    )
    const stems = new Set(sources.map((file) => file.replace(/\.tsx?$/, '')))
    const missing = imports.filter((path) => !stems.has(path) && !/\+types|\.html$/.test(path))
    expect(missing).toEqual([])
    expect(imports).toContain(SHARED['login/login.ts']?.[template]?.replace(/\.ts$/, ''))
  })

  it('refers to no file outside of the application', () => {
    const { cwd } = run(['my-app', '--template', template])
    const app = join(cwd, 'my-app')
    const outer = filesBelow(app).filter((file) => {
      const depth = file.split('/').length
      return readFileSync(join(app, file), 'utf8').includes('../'.repeat(depth))
    })
    expect(outer).toEqual([])
  })
})

it.each(NAMES)('the README of %s has no trace of a link, if the repository has no address', (template) => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-templates-'))
  try {
    writeTemplates(folder, '')
    const readme = readFileSync(join(folder, template, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !/^https:\/\/(?!git\.example)/.test(link))).toEqual([])
    expect(readme).not.toMatch(/\(more\)|\(hosts\)|\(one user at a time\)| [.,)]|undefined/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe('without a terminal', () => {
  it('--yes is enough', () => {
    const { cwd, status } = run(['--yes'])
    expect(status).toBe(0)
    expect(readManifest(join(cwd, 'my-app')).dependencies).toHaveProperty('express')
  })

  it('a missing folder or template is an error that says what to type', () => {
    for (const args of [[], ['my-app'], ['--template', 'next']]) {
      const { cwd, status, stderr } = run(args)
      expect(status).toBe(2)
      expect(stderr).toContain('npm create stagepass@latest my-app -- --template express')
      expect(readdirSync(cwd)).toEqual([])
    }
  })
})

it.each([
  ['npm/11.4.0 node/v22.12.0 linux x64 workspaces/false', 'npm'],
  ['pnpm/10.12.1 npm/? node/v22.12.0 linux x64', 'pnpm'],
  ['yarn/1.22.22 npm/? node/v22.12.0 linux x64', 'yarn'],
  ['bun/1.2.2 npm/? node/v22.12.0 linux x64', 'bun'],
  ['', 'npm'],
])('started by "%s", it ends with the commands of %s', (npm_config_user_agent, manager) => {
  const { cwd, stdout } = run(['my-app', '--yes'], { env: { npm_config_user_agent } })
  expect(stdout).toContain(`\n  cd my-app\n  ${manager} install\n  ${manager} run dev\n`)
  expect(existsSync(join(cwd, 'my-app/pnpm-workspace.yaml'))).toBe(manager === 'pnpm')
})

describe('the folder', () => {
  it('can be the current one, with a new repository', () => {
    const { cwd } = run(['--help'])
    const here = join(cwd, 'here')
    mkdirSync(join(here, '.git'), { recursive: true })
    const { status, stdout } = run(['.', '--yes'], { cwd: here })
    expect(status).toBe(0)
    expect(stdout).not.toContain('  cd ')
    expect(readManifest(here).name).toBe('here')
  })

  it('can be nested, with a path that a shell must quote', () => {
    const { cwd, stdout } = run(['my apps/one', '--yes'])
    expect(stdout).toContain('  cd "my apps/one"')
    expect(readManifest(join(cwd, 'my apps/one')).name).toBe('one')
  })

  it('must be empty', () => {
    const { cwd } = run(['my-app', '--yes'])
    writeFileSync(join(cwd, 'my-app/package.json'), 'mine')
    const { status, stderr } = run(['my-app', '--yes'], { cwd })
    expect(status).toBe(2)
    expect(stderr).toBe(
      'Failed to create an application in "my-app": the folder is not empty. Use another folder.\n',
    )
    expect(readFileSync(join(cwd, 'my-app/package.json'), 'utf8')).toBe('mine')
  })

  it('must not be a file', () => {
    const { cwd } = run(['--help'])
    writeFileSync(join(cwd, 'file'), '')
    const { status, stderr } = run(['file', '--yes'], { cwd })
    expect(status).toBe(2)
    expect(stderr).toContain('ENOTDIR')
  })

  it.each([
    ['My App', 'my-app'],
    ['.hidden', 'hidden'],
    ['@scope', 'scope'],
    ['node_modules', 'my-app'],
    ['über', 'ber'],
  ])('"%s" cannot be the name of a package, but "%s" can', (name, suggested) => {
    const { cwd, status, stderr } = run([name, '--yes'])
    expect(status).toBe(2)
    expect(stderr).toContain(`"${name}" is not a valid name for a package. Try "${suggested}".`)
    expect(readdirSync(cwd)).toEqual([])
  })

  it('is unchanged if a file cannot be written', () => {
    // Smaller than one of its files.
    const { cwd, status, stderr } = run(['new/my-app', '--yes'], { blocks: 4 })
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(
        /^Failed to create the application: EFBIG.* All of its files were removed\.\n$/,
      ),
    })
    expect(readdirSync(cwd)).toEqual([])
    mkdirSync(join(cwd, 'here/.git'), { recursive: true })
    expect(run(['here', '--yes'], { cwd, blocks: 4 }).status).toBe(1)
    expect(readdirSync(join(cwd, 'here'))).toEqual(['.git'])
  })
})

it.each([
  ['nextjs', 'Did you mean "next"? '],
  ['expres', 'Did you mean "express"? '],
  ['React', 'Did you mean "react-router"? '],
  ['vue', ''],
  ['', ''],
  ['6', ''],
])('says which templates there are instead of "%s"', (template, advice) => {
  const { cwd, status, stderr } = run(['my-app', '--template', template])
  expect(status).toBe(2)
  expect(stderr).toBe(
    `Failed to find the template "${template}". ${advice}The templates are ${NAMES.join(', ')}.\n`,
  )
  expect(readdirSync(cwd)).toEqual([])
})

it.each([[['--temlate', 'next']], [['one', 'two', '--yes']], [['my-app', '--template']]])(
  'shows its help after the wrong arguments %j',
  (args) => {
    const { cwd, status, stderr } = run(args)
    expect(status).toBe(2)
    expect(stderr).toContain('Usage: npm create stagepass@latest')
    expect(readdirSync(cwd)).toEqual([])
  },
)

it('says what to type if npm read the option as its own, because "--" is missing', () => {
  const { cwd, status, stderr } = run(['foo3', 'next'])
  expect(status).toBe(2)
  expect(stderr).toMatch(/^Failed to read the options: npm read "--template" as its own option, .*:$/m)
  expect(stderr).toMatch(/^ {2}npm create stagepass@latest foo3 -- --template next$/m)
  expect(readdirSync(cwd)).toEqual([])
})

it('prints its help, with every template, and its version', () => {
  const { status, stdout } = run(['--help'])
  expect(status).toBe(0)
  for (const name of NAMES) expect(stdout).toContain(` ${name} `)
  expect(run(['--version'])).toMatchObject({ status: 0, stdout: `${VERSION}\n` })
})

it.each(['v18.20.8', 'v20.18.3', 'v21.7.3', 'v22.11.0'])('refuses Node %s', (version) => {
  const set = `Object.defineProperty(process, 'version', { value: '${version}' })`
  const { status, stderr } = run(['--version'], { node: ['--import', `data:text/javascript,${set}`] })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `Failed to start: this is Node ${version.slice(1)}. Install Node 20.19, or 22.12 or newer, and try again.\n`,
  })
})

describe('in a terminal', () => {
  it('asks for folder and template, and asks again after a wrong answer', async () => {
    const { cwd, status, stdout } = await program.talk(
      [],
      [
        ['Folder? (my-app)', 'My App\n'],
        ['Try "my-app"', ''],
        ['Folder? (my-app)', 'other\n'],
        ['(express)', 'nextjs\n'],
        ['(express)', '4\n'],
      ],
    )
    expect(status).toBe(0)
    expect(stdout).toContain('  4. hono ')
    expect(stdout).toContain('Did you mean "next"?')
    expect(readManifest(join(cwd, 'other')).dependencies).toHaveProperty('hono')
  })

  it('reads Enter as the default answer', async () => {
    const { cwd, status } = await program.talk(
      [],
      [
        ['Folder?', '\n'],
        ['Template?', '\n'],
      ],
    )
    expect(status).toBe(0)
    expect(readManifest(join(cwd, 'my-app')).dependencies).toHaveProperty('express')
  })

  it('asks only for what is not given', async () => {
    const { cwd, status, stdout } = await program.talk(['my-app'], [['Template?', 'workers\n']])
    expect(status).toBe(0)
    expect(stdout).not.toContain('Folder?')
    expect(existsSync(join(cwd, 'my-app/wrangler.jsonc'))).toBe(true)
  })

  it.each([
    ['Ctrl+C', '\u0003'],
    ['Ctrl+D', '\u0004'],
  ])('creates nothing after %s', async (_key, code) => {
    const { cwd, status, stdout } = await program.talk(
      [],
      [
        ['Folder?', 'my-app\n'],
        ['Template?', code],
      ],
    )
    expect(status).toBe(130)
    expect(stdout).toContain('Stopped. Nothing was created.')
    expect(readdirSync(cwd)).toEqual([])
  })
})

import { join } from 'node:path'
import contract from '../packages/contract/package.json' with { type: 'json' }
import { readOptions } from './options.js'
import { COMMON_JS, PACKAGES, STARTER } from './packages.js'
import { run, say } from './run.js'

const USAGE = `npm run check -- [--all | --release]

Checks all that is not a test:

  (no option)  code and packages: lint, format, types, the lockfile, dead code, the packages as they would be published. Five minutes
  --all        also every kind of application, and all tests (npm run test:all). An hour
  --release    the packages as they would be published, alone, and installed from a registry. The workflow "release" runs it

The packages are packed into dist/release. If the variable TARBALLS names a folder, its tarballs are checked.`

const { values } = readOptions(USAGE, {
  options: {
    all: { type: 'boolean', default: false },
    release: { type: 'boolean', default: false },
  },
})

/** Every check runs, so that one run shows all faults. The last lines list how long each took. */
type Check = readonly [title: string, command: string, ...args: string[]]

const script = (title: string, ...args: string[]): Check => [title, 'npx', 'tsx', ...args]
const slowTests = (title: string, folder: string): Check => [
  title,
  'npx',
  'vitest',
  'run',
  '--project',
  'slow',
  folder,
]

const isPacked = process.env.TARBALLS !== undefined
const tarballs = (process.env.TARBALLS ??= 'dist/release')
const tarballOf = (name: string): string => join(tarballs, `${name}-${contract.version}.tgz`)

const CODE: readonly Check[] = [
  ['Lint and format', 'npm', 'run', '--silent', 'lint'],
  ['Types', 'npm', 'run', '--silent', 'typecheck'],
  script('Lockfile', 'scripts/lockfile.ts'),
  script('React Compiler and the rules of React', 'scripts/reactCompiler.ts'),
  ['Unused files, exports and dependencies', 'npx', 'knip'],
]

const PACK: readonly Check[] = isPacked ? [] : [script('Build and pack', 'scripts/pack.ts')]

const LIBRARIES = PACKAGES.map((name) => `stagepass-${name}`)

const TARBALLS: readonly Check[] = [
  ...[...LIBRARIES, STARTER].flatMap((name): Check[] => [
    [`Shape of ${name}`, 'npx', 'publint', '--strict', tarballOf(name)],
    [`What npm would publish of ${name}`, 'npm', 'publish', '--dry-run', '--silent', tarballOf(name)],
  ]),
  ...PACKAGES.map((name): Check => [
    `Types as resolved from stagepass-${name}`,
    'npx',
    'attw',
    tarballOf(`stagepass-${name}`),
    '--profile',
    'strict',
    // Packages with only ES modules may have this problem.
    ...(COMMON_JS.includes(name) ? [] : ['--ignore-rules', 'cjs-resolves-to-esm']),
  ]),
  slowTests('What the tarballs hold', 'test/packages'),
  script('The tarballs in applications', 'scripts/consumer/run.ts', values.all ? '--check' : '--quick'),
]

const SIZES: Check = ['Sizes in the browser', 'npm', 'run', '--silent', 'size', '-w', '@stagepass/bench']
const START_PAGES = slowTests('The start pages, with packages from a registry', 'test/start')

const QUICK: readonly Check[] = [
  ...CODE,
  script('Workflows', 'scripts/checkWorkflows.ts'),
  ...PACK,
  ...TARBALLS,
  SIZES,
]
const TESTS: Check = ['All tests', 'npm', 'run', '--silent', 'test:all']
const checks = values.release ? [...PACK, ...TARBALLS, START_PAGES] : values.all ? [...QUICK, TESTS] : QUICK

const results: { title: string; held: boolean; seconds: number }[] = []
for (const [title, command, ...args] of checks) {
  say(title)
  const start = performance.now()
  const held = (await run(command, args)) === 0
  results.push({ title, held, seconds: Math.round((performance.now() - start) / 1000) })
}

console.log()
for (const { title, held, seconds } of results) {
  console.log(`${held ? 'held  ' : 'FAILED'} ${String(seconds).padStart(5)} s  ${title}`)
}
const failed = results.filter(({ held }) => !held).length
console.log(failed === 0 ? '\nAll checks hold.' : `\n${failed} of ${results.length} checks failed.`)
process.exitCode = failed > 0 ? 1 : 0

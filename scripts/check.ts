import { join } from 'node:path'
import contract from '../packages/contract/package.json' with { type: 'json' }
import { readOptions } from './options.js'
import { COMMON_JS, PACKAGES, STARTER } from './packages.js'
import { run, say } from './run.js'

const USAGE = `npm run check -- [--all | --release]

Checks all that is not a test:

  (no option)  code and packages: lint, format, types, dead code, the packages as they would be published, sizes. Five minutes
  --all        also every kind of application, and all tests (npm run test:all). Before a release, and once a week. An hour and a half
  --release    the packages as they would be published, alone, in every kind of application, and installed from a registry. The workflow "release" runs it

The packages are packed into dist/release. If the variable TARBALLS names a folder, its tarballs are checked.`

const { values } = readOptions(USAGE, {
  options: {
    all: { type: 'boolean', default: false },
    release: { type: 'boolean', default: false },
  },
})

/** Every check runs, so that one run shows all faults. The last lines list how long each took. */
type Check = readonly [title: string, command: string, ...args: string[]]

const isPacked = process.env.TARBALLS !== undefined
const tarballs = (process.env.TARBALLS ??= 'dist/release')
const tarballOf = (name: string): string => join(tarballs, `${name}-${contract.version}.tgz`)

const slowTests = ['npx', 'vitest', 'run', '--project', 'slow'] as const

const CODE: readonly Check[] = [
  ['Lint and format', 'npm', 'run', '--silent', 'lint'],
  ['Types', 'npm', 'run', '--silent', 'typecheck'],
  ['Unused files, exports and dependencies', 'npx', 'knip'],
  ['Sizes in the browser', 'npm', 'run', '--silent', 'sizes', '-w', '@stagepass/bench'],
]

const PACK: readonly Check[] = isPacked
  ? []
  : [
      ['Build and pack', 'npx', 'tsx', 'scripts/pack.ts'],
      ['Declarations, for an application that checks them', 'npx', 'tsc', '-p', 'scripts/declarations.json'],
    ]

const LIBRARIES = PACKAGES.map((name) => `stagepass-${name}`)
/** Packages with only ES modules may have this problem. */
const ES_MODULES = ['--ignore-rules', 'cjs-resolves-to-esm']

const SHAPES: readonly Check[] = [
  ...[...LIBRARIES, STARTER].flatMap((name): Check[] => [
    [`Shape of ${name}`, 'npx', 'publint', '--strict', tarballOf(name)],
    [`What npm would publish of ${name}`, 'npm', 'publish', '--dry-run', '--silent', tarballOf(name)],
  ]),
  ...PACKAGES.map((name): Check => {
    const options = ['--profile', 'strict', ...(COMMON_JS.includes(name) ? [] : ES_MODULES)]
    const tarball = tarballOf(`stagepass-${name}`)
    return [`Types as resolved from stagepass-${name}`, 'npx', 'attw', tarball, ...options]
  }),
  ['What the tarballs hold', ...slowTests, 'test/packages'],
]

const APPLICATIONS: Check = ['The tarballs in applications', 'npx', 'tsx', 'scripts/consumer/run.ts']
const START_PAGES: Check = ['The start pages, with packages from a registry', ...slowTests, 'test/start']
const TESTS: Check = ['All tests', 'npm', 'run', '--silent', 'test:all']

const QUICK: readonly Check[] = [...CODE, ...PACK, ...SHAPES]
const checks: readonly Check[] = values.release
  ? [...PACK, ...SHAPES, APPLICATIONS, START_PAGES]
  : values.all
    ? [...QUICK, APPLICATIONS, TESTS]
    : QUICK

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

import { join } from 'node:path'
import contract from '../packages/contract/package.json' with { type: 'json' }
import { readOptions } from './options.js'
import { PACKAGES, STARTER } from './packages.js'
import { run, say } from './run.js'

const USAGE = `npm run check -- [--slow | --all | --release]

Checks all that is not in npm test:

  (no option)  code and packages: lint, format, types, the lockfile, dead code, the packages as they would be published. Five minutes
  --slow       tests that are too long for npm test: the site, the start pages, every screen of the demo, a thousand users. Ten minutes
  --all        both, and the matrices: every kind of application, every topology of Redis, many seeds. An hour and a half
  --release    the packages as they would be published, alone, and installed from a registry. The workflow "release" runs it

The packages are packed into dist/release. If the variable TARBALLS names a folder, its tarballs are checked.`

const { values } = readOptions(USAGE, {
  options: {
    slow: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    release: { type: 'boolean', default: false },
  },
})

/** Every check runs, so that one run shows every fault. The last lines say how long each took. */
type Check = readonly [title: string, command: string, ...args: string[]]

const script = (title: string, ...args: string[]): Check => [title, 'npx', 'tsx', ...args]
const project = (title: string, name: string): Check => script(title, 'scripts/runProject.ts', name)

const isPacked = process.env.TARBALLS !== undefined
const tarballs = (process.env.TARBALLS ??= 'dist/release')
const tarballOf = (name: string): string => join(tarballs, `${name}-${contract.version}.tgz`)

const CODE: readonly Check[] = [
  ['Lint and format', 'npm', 'run', '--silent', 'lint'],
  ['Types', 'npm', 'run', '--silent', 'typecheck'],
  script('Lockfile', 'scripts/lockfile.ts'),
  ['Unused files, exports and dependencies', 'npx', 'knip'],
]

const PACK: readonly Check[] = isPacked ? [] : [script('Build and pack', 'scripts/pack.ts')]

const LIBRARIES = PACKAGES.map((name) => `stagepass-${name}`)

const TARBALLS: readonly Check[] = [
  ...[...LIBRARIES, STARTER].flatMap((name): Check[] => [
    [`Shape of ${name}`, 'npx', 'publint', '--strict', tarballOf(name)],
    [`What npm would publish of ${name}`, 'npm', 'publish', '--dry-run', '--silent', tarballOf(name)],
  ]),
  ...LIBRARIES.map((name): Check => [
    `Types as resolved from ${name}`,
    'npx',
    'attw',
    tarballOf(name),
    '--profile',
    'strict',
  ]),
  project('What the tarballs hold', 'packed'),
  script('The tarballs in applications', 'scripts/consumer/run.ts', values.all ? '--check' : '--quick'),
]

const SIZES: Check = ['Sizes in the browser', 'npm', 'run', '--silent', 'size', '-w', '@stagepass/bench']
const START_PAGES = project('The start pages, with packages from a registry', 'start pages')

const SLOW: readonly Check[] = [
  script('Workflows', 'scripts/checkWorkflows.ts'),
  project('A thousand users at once', 'crowd'),
  script('Alert rules', 'scripts/checkRules.ts'),
  project('The playground', 'playground'),
  project('Every screen of the demo', 'every screen'),
  project('The demo in each engine', 'every engine'),
  project('Servers in other languages', 'any backend'),
  project('Minutes in Postgres', 'postgres'),
  project('The docs site', 'site'),
  ...PACK,
  START_PAGES,
]

const MATRICES: readonly Check[] = [
  project('Sound in WebKitGTK', 'webkit, sound'),
  project('Firefox without its loudspeaker', 'firefox, unplugged'),
  project('WebSockets of Firefox', 'firefox, sockets'),
  project('WebSockets of WebKitGTK', 'webkit, sockets'),
  project('The page of benchmarks', 'bench page'),
  project('Every error code in the demo', 'every code'),
  script('The budget with many seeds', 'scripts/manySeeds.ts'),
  script('The budget on every topology of Redis', 'scripts/topologies.ts'),
]

const QUICK: readonly Check[] = [...CODE, ...PACK, ...TARBALLS, SIZES]
const checks = values.release
  ? [...PACK, ...TARBALLS, START_PAGES]
  : values.all
    ? [...QUICK, ...SLOW.filter((check) => !PACK.includes(check)), ...MATRICES]
    : values.slow
      ? SLOW
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

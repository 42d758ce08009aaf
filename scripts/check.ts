import { PACKAGES } from './packages.js'
import { run, say } from './run.js'

/*
 * All that is not in `npm test`, in three parts:
 *
 *   (no option)  code and packages: lint, format, types, the lockfile, dead code, the packages as they would be published. Five minutes
 *   --slow       tests that are too long for `npm test`: the site, the start pages, every screen of the demo, a thousand users. Ten minutes
 *   --all        both, and the matrices: every kind of application, every topology of Redis, many seeds. An hour and a half
 *
 * Every check runs, so that one run shows every fault. The last lines say how long each took.
 */

type Check = readonly [title: string, command: string, ...args: string[]]

const all = process.argv.includes('--all')
const slow = process.argv.includes('--slow')

const project = (title: string, name: string): Check => [title, 'npx', 'tsx', 'scripts/runProject.ts', name]

const FOLDERS = PACKAGES.map((name) => `packages/${name}`)

const QUICK: readonly Check[] = [
  ['Lint and format', 'npm', 'run', '--silent', 'lint'],
  ['Types', 'npm', 'run', '--silent', 'typecheck'],
  ['Lockfile', 'npx', 'tsx', 'scripts/lockfile.ts'],
  ['Unused files, exports and dependencies', 'npx', 'knip'],
  // publint looks at the files as they lie there: it does not run the script that builds them before a pack.
  ['Build', 'npm', 'run', '--silent', 'build'],
  ...FOLDERS.map((path) => [`Package shape of ${path}`, 'npx', 'publint', '--strict', path] as const),
  ...FOLDERS.map(
    (path) =>
      [`Types as resolved from ${path}`, 'npx', 'attw', '--pack', path, '--profile', 'strict'] as const,
  ),
  ['Sizes in the browser', 'npm', 'run', '--silent', 'size', '-w', '@stagepass/bench'],
  project('What the tarballs hold', 'packed'),
  [
    'The tarballs in applications of their own',
    'npx',
    'tsx',
    'scripts/consumer/run.ts',
    all ? '--check' : '--quick',
  ],
]

const SLOW: readonly Check[] = [
  ['Workflows', 'npx', 'tsx', 'scripts/checkWorkflows.ts'],
  project('A thousand users at once', 'crowd'),
  ['Alert rules', 'npx', 'tsx', 'scripts/checkRules.ts'],
  project('The playground', 'playground'),
  project('Every screen of the demo', 'every screen'),
  project('The demo in each engine', 'every engine'),
  project('The docs site', 'site'),
  project('The start pages, step by step', 'start pages'),
]

const MATRICES: readonly Check[] = [
  project('Sound in WebKitGTK', 'webkit, sound'),
  project('Firefox without its loudspeaker', 'firefox, unplugged'),
  project('WebSockets of Firefox', 'firefox, sockets'),
  project('WebSockets of WebKitGTK', 'webkit, sockets'),
  project('The page of benchmarks', 'bench page'),
  project('Every error code in the demo', 'every code'),
  ['The budget with many seeds', 'npx', 'tsx', 'scripts/manySeeds.ts'],
  ['The budget on every topology of Redis', 'npx', 'tsx', 'scripts/topologies.ts'],
]

const checks = all ? [...QUICK, ...SLOW, ...MATRICES] : slow ? SLOW : QUICK
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

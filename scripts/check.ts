import { PACKAGES } from './packages.js'
import { run, say } from './run.js'

/*
 * All that is not in `npm test`: lint, format, types, the lockfile, dead code, the packages as they would be published. Every check runs, so that one
 * run shows every fault. `--all` installs the packages into every kind of application, not only the quick ones, and runs the tests that are too
 * long for `npm test`. It takes three quarters of an hour.
 */

const all = process.argv.includes('--all')

const FOLDERS = PACKAGES.map((name) => `packages/${name}`)

const CHECKS: readonly (readonly [title: string, command: string, ...args: string[]])[] = [
  ['Lint and format', 'npm', 'run', '--silent', 'lint'],
  ['Types', 'npm', 'run', '--silent', 'typecheck'],
  ['Lua', 'npx', 'tsx', 'scripts/checkLua.ts'],
  ['Alert rules', 'npx', 'tsx', 'scripts/checkRules.ts'],
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
  ['A thousand users at once', 'npx', 'tsx', 'scripts/runProject.ts', 'crowd'],
  ['The playground', 'npx', 'tsx', 'scripts/runProject.ts', 'playground'],
  ['Every screen of the demo', 'npx', 'tsx', 'scripts/runProject.ts', 'every screen'],
  ['The docs site', 'npx', 'tsx', 'scripts/runProject.ts', 'site'],
  ['What the tarballs hold', 'npx', 'tsx', 'scripts/runProject.ts', 'packed'],
  ['The start pages, step by step', 'npx', 'tsx', 'scripts/runProject.ts', 'start pages'],
  ['Workflows', 'npx', 'tsx', 'scripts/checkWorkflows.ts'],
  [
    'The tarballs in applications of their own',
    'npx',
    'tsx',
    'scripts/consumer/run.ts',
    all ? '--check' : '--quick',
  ],
  ...(all
    ? ([
        ['Sound in WebKitGTK', 'npx', 'tsx', 'scripts/runProject.ts', 'webkit, sound'],
        ['Firefox without its loudspeaker', 'npx', 'tsx', 'scripts/runProject.ts', 'firefox, unplugged'],
        ['WebSockets of Firefox', 'npx', 'tsx', 'scripts/runProject.ts', 'firefox, sockets'],
        ['WebSockets of WebKitGTK', 'npx', 'tsx', 'scripts/runProject.ts', 'webkit, sockets'],
        ['The page of benchmarks', 'npx', 'tsx', 'scripts/runProject.ts', 'bench page'],
        ['Every error code in the demo', 'npx', 'tsx', 'scripts/runProject.ts', 'every code'],
        ['The budget with many seeds', 'npx', 'tsx', 'scripts/manySeeds.ts'],
        ['The budget on every topology of Redis', 'npx', 'tsx', 'scripts/topologies.ts'],
      ] as const)
    : []),
]

const failures: string[] = []
for (const [title, command, ...args] of CHECKS) {
  say(title)
  if ((await run(command, args)) !== 0) failures.push(title)
}

if (failures.length > 0) console.error(`\nFailed checks:\n  ${failures.join('\n  ')}`)
else console.log('\nAll checks hold.')
process.exitCode = failures.length > 0 ? 1 : 0

import { existsSync, readFileSync } from 'node:fs'
import { readOptions } from './options.js'
import { BASIC, provide } from './programs.js'
import { run, say } from './run.js'

const USAGE = `npm run mutation -- [area …] [--force]

Stryker changes the code of an area, one change at a time, and runs the tests that reach it: a change that no test finds has survived. Without an
area it takes all. Prints a table of the scores; .cache/mutation/<area>.html shows each change.

  --force   runs all changes again, also those whose code and tests are as in the last run`

interface Area {
  /** The files to change. Without braces, because Stryker splits its globs at commas. */
  readonly mutate: readonly string[]
  /** The tests that should fail. */
  readonly tests: readonly string[]
}

const AREAS: Readonly<Record<string, Area>> = {
  gate: {
    mutate: ['packages/bff/src/gate/*.ts'],
    tests: ['packages/bff/src/gate/*.test.ts', 'packages/bff/src/routes/mount.test.ts'],
  },
  pages: {
    mutate: ['readKey', 'createPages', 'createBudgets', 'boundWaiters'].map(
      (name) => `packages/bff/src/meetings/${name}.ts`,
    ),
    // Not the one that takes seconds for each change: 500 accounts at once.
    tests: ['packages/bff/src/meetings/{accounts,boundWaiters,createPages,flights,readKey,sharing}.test.ts'],
  },
  crypto: {
    mutate: ['packages/bff/src/crypto/*.ts'],
    tests: ['packages/bff/src/crypto/*.test.ts'],
  },
  rules: {
    mutate: ['packages/budget/src/turns/applyCall.ts'],
    // These tests call the rules directly, and compare them with the script for Redis. The tests of whole
    // budgets would wait forever after many changes.
    tests: ['packages/budget/src/turns/applyCall.test.ts'],
  },
  machine: {
    mutate: ['packages/react/src/stream/machine/*.ts'],
    tests: ['packages/react/src/stream/machine/*.test.ts'],
  },
  token: {
    // Not the hooks and options that pass the token to React: their tests need a page and a BFF.
    mutate: ['SessionToken', 'createMint', 'createToken*', 'createWaiters', 'renewal'].map(
      (name) => `packages/react/src/token/${name}.ts`,
    ),
    tests: [
      'packages/react/src/token/{SessionToken,createMint,createTokenSource,createWaiters,renewal}.test.ts',
    ],
  },
}

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>
}

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: { force: { type: 'boolean', default: false } },
})
const unknown = positionals.filter((name) => !(name in AREAS))
if (unknown.length > 0) {
  console.error(`Failed to find ${unknown.join(', ')}. The areas are ${Object.keys(AREAS).join(', ')}.`)
  process.exit(1)
}

const programs = await provide(BASIC)
const rows = [
  '| area | changes | found | survived | score | seconds |',
  '| --- | --- | --- | --- | --- | --- |',
]
for (const [name, { mutate, tests }] of Object.entries(AREAS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  say(name)
  const started = performance.now()
  const env = { ...programs, MUTATION_AREA: name, MUTATION_TESTS: JSON.stringify(tests) }
  const args = ['stryker', 'run', '--mutate', [...mutate, '!**/*.test.*'].join(',')]
  const code = await run('npx', values.force ? [...args, '--force'] : args, env)
  const seconds = Math.round((performance.now() - started) / 1_000)
  const file = `.cache/mutation/${name}.json`
  if (code !== 0 || !existsSync(file)) {
    rows.push(`| ${name} | failed | | | | ${seconds} |`)
    process.exitCode = 1
    continue
  }
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as Report
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  const count = (...wanted: readonly string[]): number =>
    statuses.filter((status) => wanted.includes(status)).length
  const found = count('Killed', 'Timeout')
  const survived = count('Survived', 'NoCoverage')
  const score = Math.round((1_000 * found) / (found + survived)) / 10
  rows.push(`| ${name} | ${found + survived} | ${found} | ${survived} | ${score} % | ${seconds} |`)
}
console.log(`\n${rows.join('\n')}`)

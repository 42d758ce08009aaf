import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { countImpossible, type TestReport } from './engineReport.js'
import { ALL, BASIC, ENGINES, type ProgramName, provide } from './programs.js'
import { run } from './run.js'

/*
 * Runs the tests, and ends with one line that counts them all: "N passed, N failed". A test that did not run
 * counts as failed. A case that an engine cannot do counts as neither.
 *
 *     npm test                  before each push
 *     npm test -- --engines     in Firefox, WebKitGTK and with the oldest React, too
 *     npm run test:all          everything
 *
 * Other arguments are passed on to vitest: `npm test -- packages/bff -t 'refuses'`. With `--project` only
 * that project runs: `npm test -- --project slow test/site`.
 */

/** Programs that each project of vite.config.ts needs. */
const NEEDS = {
  node: BASIC,
  dom: BASIC,
  'dom, React 18': BASIC,
  chromium: BASIC,
  demo: BASIC,
  firefox: ENGINES,
  webkit: ENGINES,
  slow: ALL,
} as const satisfies Readonly<Record<string, readonly ProgramName[]>>
type Project = keyof typeof NEEDS

/**
 * One run of vitest. Its projects run at the same time, so that projects that wait for a page take no extra
 * time.
 */
interface Run {
  readonly projects: readonly Project[]
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

// With this variable two projects have fewer tests (vite.config.ts).
const QUICK: Run['env'] = { QUICK_TESTS: 'yes' }
const BEFORE_A_PUSH: readonly Project[] = ['node', 'dom', 'chromium', 'demo']
const OTHERS: readonly Project[] = ['dom, React 18', 'firefox']

const RUNS: Readonly<Record<string, readonly Run[]>> = {
  quick: [{ projects: BEFORE_A_PUSH, env: QUICK }],
  engines: [{ projects: [...BEFORE_A_PUSH, ...OTHERS, 'webkit'], env: QUICK }],
  all: [
    // Ten times the seeds of tests with random input.
    { projects: [...BEFORE_A_PUSH, ...OTHERS], env: { SEED_FACTOR: '10' } },
    // The hooks in an application with React Compiler.
    { projects: ['chromium'], args: ['packages/react/src'], env: { REACT_COMPILER: 'yes' } },
    { projects: ['webkit'] },
    { projects: ['slow'] },
  ],
}

interface Counts {
  readonly passed: number
  readonly failed: number
  /** Cases that an engine cannot do. They ran, and failed as docs/browsers.md expects. */
  readonly impossible: number
}

const FOLDER = '.cache/test'
const REPORTERS = ['default', './packages/testing/src/vitest/SilenceReporter.ts', 'json']

function readReport(file: string): TestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestReport
  } catch {
    return undefined
  }
}

async function runVitest(
  { projects, args = [], env = {} }: Run,
  number: number,
  programs: NodeJS.ProcessEnv,
): Promise<Counts> {
  const file = `${FOLDER}/report${number === 0 ? '' : number}.json`
  const options = [
    ...projects.map((name) => `--project=${name}`),
    ...REPORTERS.map((name) => `--reporter=${name}`),
    `--outputFile.json=${file}`,
    '--passWithNoTests',
  ]
  const code = await run('npx', ['vitest', 'run', ...options, ...args], { ...programs, ...env })
  const report = readReport(file)
  if (!report) return { passed: 0, failed: 1, impossible: 0 }
  const impossible = countImpossible(report)
  const passed = report.numPassedTests - impossible
  // With a name filter, tests that were left out do not count as failed.
  const leftOut = args.some((word) => /^(?:-t|--testNamePattern)/.test(word)) ? report.numPendingTests : 0
  const notPassed = report.numTotalTests - report.numPassedTests - leftOut
  // A suite that broke before its first test, or an error outside of every test, fails the run without a
  // failed test.
  const failed = notPassed === 0 && code !== 0 ? Math.max(1, report.numFailedTestSuites) : notPassed
  return { passed, failed, impossible }
}

/** The runs that the arguments ask for. */
function readRuns([first = '', ...rest]: readonly string[]): readonly Run[] {
  const scope = first.replace(/^--/, '')
  if (first.startsWith('--') && Object.hasOwn(RUNS, scope)) return filtered(RUNS[scope] ?? [], rest)
  return filtered(RUNS.quick ?? [], first === '' ? [] : [first, ...rest])
}

function filtered(runs: readonly Run[], filters: readonly string[]): readonly Run[] {
  const named = filters.flatMap((word, index) =>
    word.startsWith('--project=') ? [word.slice(10)] : word === '--project' ? [filters[index + 1] ?? ''] : [],
  )
  const unknown = named.filter((name) => !Object.hasOwn(NEEDS, name))
  if (unknown.length > 0)
    throw new Error(`There is no project ${unknown.join(', ')}. There are ${Object.keys(NEEDS).join('; ')}.`)
  if (named.length === 0) return runs.map((one) => ({ ...one, args: [...(one.args ?? []), ...filters] }))
  const others = filters.filter(
    (word, index) => !word.startsWith('--project') && filters[index - 1] !== '--project',
  )
  return [{ projects: named as Project[], args: others }]
}

async function main(): Promise<Counts> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const runs = readRuns(process.argv.slice(2))
  const needed = runs
    .flatMap(({ projects }) => projects)
    .flatMap((name): readonly ProgramName[] => NEEDS[name])
  const programs = await provide([...new Set(needed)])
  const sum = { passed: 0, failed: 0, impossible: 0 }
  for (const [number, wanted] of runs.entries()) {
    const { passed, failed, impossible } = await runVitest(wanted, number, programs)
    sum.passed += passed
    sum.failed += failed
    sum.impossible += impossible
  }
  return sum
}

const { passed, failed, impossible } = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return { passed: 0, failed: 1, impossible: 0 }
})

if (impossible > 0)
  console.log(`\nCases that an engine cannot do, not counted: ${impossible}. See docs/browsers.md.`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

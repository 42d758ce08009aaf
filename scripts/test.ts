import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineMeta } from '../packages/testing/src/engines/impossibleCases.js'
import { ALL, BASIC, ENGINES, type ProgramName, provide } from './programs.js'
import { run } from './run.js'

/*
 * Runs the tests, and ends with one line that counts them all: "N passed, N failed". A test that did not run
 * counts as failed. A case that an engine cannot do, or that a real service does not permit, counts as
 * neither.
 *
 *     npm test                  before each push
 *     npm test -- --engines     in Firefox, WebKitGTK and with the oldest React, too
 *     npm run test:all          everything
 *     npm run test:service      the promises of the contract, on a real service
 *
 * Other arguments are passed on to vitest: `npm test -- packages/bff -t 'refuses'`. With `--project` only
 * that project runs: `npm test -- --project slow test/site`.
 */

/** Programs that each project of vite.config.ts needs. */
const NEEDS: Readonly<Record<string, readonly ProgramName[]>> = {
  node: BASIC,
  dom: [...BASIC, 'FFMPEG'],
  'dom, React 18': BASIC,
  phone: BASIC,
  chromium: [...BASIC, 'FFMPEG'],
  demo: BASIC,
  firefox: ENGINES,
  webkit: ENGINES,
  slow: ALL,
  live: [],
}

/**
 * One run of vitest. Its projects run at the same time, so that projects that wait for a page take no extra
 * time.
 */
interface Run {
  readonly projects: readonly string[]
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A program that its projects need only for tests that this run leaves out. */
  readonly without?: ProgramName
}

const needsOf = ({ projects, without }: Run): readonly ProgramName[] =>
  projects.flatMap((project) => NEEDS[project] ?? []).filter((program) => program !== without)

const BEFORE_A_PUSH = ['node', 'dom', 'chromium', 'demo']
const OTHERS = ['dom, React 18', 'phone', 'firefox']
/** How often tests with random input run. A number that is given stays. */
const seeds = (factor: string) => ({ SEED_FACTOR: process.env['SEED_FACTOR'] ?? factor })

// `TEST_SCOPE`: with it some projects have fewer tests (vite.config.ts).
const RUNS: Readonly<Record<string, readonly Run[]>> = {
  quick: [{ projects: BEFORE_A_PUSH, env: { TEST_SCOPE: 'quick', ...seeds('0.25') }, without: 'FFMPEG' }],
  engines: [
    {
      projects: [...BEFORE_A_PUSH, ...OTHERS, 'webkit'],
      env: { TEST_SCOPE: 'engines', ...seeds('0.25') },
    },
  ],
  all: [
    { projects: [...BEFORE_A_PUSH, ...OTHERS], env: seeds('10') },
    // The hooks in an application with React Compiler.
    { projects: ['chromium'], args: ['packages/react/src'], env: { REACT_COMPILER: 'yes' } },
    { projects: ['webkit'] },
    { projects: ['slow'] },
  ],
}

/** The parts of vitest's JSON report that are used. */
interface Report {
  readonly numPassedTests: number
  readonly numTotalTests: number
  readonly numPendingTests: number
  readonly numFailedTestSuites: number
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly meta: { readonly engine?: EngineMeta; readonly notProvable?: string }
    }[]
  }[]
}

interface Counts {
  readonly passed: number
  readonly failed: number
  /** Cases that an engine cannot do. They ran, and failed as docs/support.md expects. */
  readonly impossible: number
  /** Promises that could not be proven on a real service: the test, and why. */
  readonly notProvable: readonly string[]
}

const FOLDER = mkdtempSync(join(tmpdir(), 'stagepass-reports-'))
const REPORTERS = ['default', './packages/testing/src/vitest/SilenceReporter.ts', 'json']

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}

/** Vitest counts a test that has to fail as passed. */
const countImpossible = ({ testResults }: Report): number =>
  testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, meta }) => status === 'passed' && meta.engine?.impossible !== undefined).length

const listNotProvable = ({ testResults }: Report): string[] =>
  testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ fullName, meta: { notProvable } }) =>
      notProvable === undefined ? [] : [`${fullName}\n      ${notProvable}`],
    )

/** Of a run without a report. */
const NOTHING: Counts = { passed: 0, failed: 1, impossible: 0, notProvable: [] }

async function runVitest({ projects, args = [], env }: Run, file: string, programs: object): Promise<Counts> {
  const options = [
    ...projects.map((name) => `--project=${name}`),
    ...REPORTERS.map((name) => `--reporter=${name}`),
    `--outputFile.json=${file}`,
    '--passWithNoTests',
  ]
  const code = await run('npx', ['vitest', 'run', ...options, ...args], { ...programs, ...env })
  const report = readReport(file)
  if (!report) return NOTHING
  const notProvable = listNotProvable(report)
  // With a name filter, tests that were left out do not count as failed.
  const leftOut = args.some((word) => /^(?:-t|--testNamePattern)/.test(word))
    ? report.numPendingTests
    : notProvable.length
  const notPassed = report.numTotalTests - report.numPassedTests - leftOut
  // A suite that broke before its first test, or an error outside of every test, fails the run without a
  // failed test.
  const failed = notPassed === 0 && code !== 0 ? Math.max(1, report.numFailedTestSuites) : notPassed
  const impossible = countImpossible(report)
  return { passed: report.numPassedTests - impossible, failed, impossible, notProvable }
}

/** The runs that the arguments ask for. */
function readRuns(args: readonly string[]): readonly Run[] {
  const scope = /^--(quick|engines|all)$/.exec(args[0] ?? '')?.[1]
  const filters = scope === undefined ? args : args.slice(1)
  const runs = RUNS[scope ?? 'quick'] ?? []
  // `--project=name` is one word, `--project name` two.
  const words = filters.join('\n').replaceAll('--project\n', '--project=').split('\n').filter(Boolean)
  const projects = words.filter((word) => word.startsWith('--project=')).map((word) => word.slice(10))
  const others = words.filter((word) => !word.startsWith('--project='))
  const unknown = projects.filter((name) => !Object.hasOwn(NEEDS, name))
  if (unknown.length > 0)
    throw new Error(`There is no project ${unknown.join(', ')}. There are ${Object.keys(NEEDS).join('; ')}.`)
  if (projects.length > 0) return [{ projects, args: others }]
  // A file or a test that is named runs in any case.
  const hasName = others.some((word) => !word.startsWith('-'))
  return runs.map((one) => ({
    ...one,
    ...(hasName && { env: { ...one.env, TEST_SCOPE: 'all' } }),
    args: [...(one.args ?? []), ...others],
  }))
}

async function main(): Promise<Counts> {
  // In a process of its own: Vite sets NODE_ENV to production.
  await run('npx', ['tsx', 'scripts/embedWorklets.ts'])
  const runs = readRuns(process.argv.slice(2))
  const programs = await provide([...new Set(runs.flatMap(needsOf))])
  const all: Counts[] = []
  for (const [number, one] of runs.entries())
    all.push(await runVitest(one, `${FOLDER}/report${number || ''}.json`, programs))
  const sum = (count: 'passed' | 'failed' | 'impossible'): number =>
    all.reduce((total, counts) => total + counts[count], 0)
  return {
    passed: sum('passed'),
    failed: sum('failed'),
    impossible: sum('impossible'),
    notProvable: all.flatMap((counts) => counts.notProvable),
  }
}

const { passed, failed, impossible, notProvable } = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return NOTHING
})
rmSync(FOLDER, { recursive: true, force: true })

if (impossible > 0)
  console.log(`\nCases that an engine cannot do, not counted: ${impossible}. See docs/support.md.`)
if (notProvable.length > 0)
  console.log(
    `\nNot provable on this service, not counted: ${notProvable.length}.\n${notProvable.map((line) => `  - ${line}`).join('\n')}`,
  )
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

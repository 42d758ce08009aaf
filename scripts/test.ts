import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { providePrograms } from './programs.js'
import { run, say } from './run.js'

/*
 * Runs every test, in two phases so that they do not fight for the processor, and ends with one line that counts them all:
 * "N passed, N failed". A test that did not run counts as failed. Arguments are passed on to vitest: `npm test -- packages/bff`.
 */

const PHASES: readonly (readonly [title: string, projects: readonly string[]])[] = [
  [
    'Packages, in Node and a simulated page, under React 19 and 18',
    ['node', 'node, alone', 'dom', 'dom, React 18'],
  ],
  // These mostly wait, for seconds of a window or for a page, so they may do so together.
  [
    'Several processes, packages in Chromium, and the demo end to end',
    ['processes', 'chromium', 'end to end'],
  ],
]

interface Summary {
  readonly numPassedTests: number
  readonly numTotalTests: number
  readonly numFailedTestSuites: number
  readonly success: boolean
}

function readSummary(file: string): Summary | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Summary
  } catch {
    return undefined
  }
}

const filters = process.argv.slice(2)
const folder = '.cache/test'
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

let passed = 0
let failed = 0
try {
  const env = await providePrograms()
  for (const [index, [title, projects]] of PHASES.entries()) {
    say(`${title} (${index + 1} of ${PHASES.length})`)
    const file = `${folder}/${index}.json`
    const code = await run(
      'npx',
      [
        'vitest',
        'run',
        ...projects.flatMap((project) => ['--project', project]),
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
        ...(filters.length > 0 ? ['--passWithNoTests', ...filters] : []),
      ],
      env,
    )
    const summary = readSummary(file)
    passed += summary?.numPassedTests ?? 0
    const notPassed = summary ? summary.numTotalTests - summary.numPassedTests : 1
    // A suite that broke before its first test, or an error outside of every test, fails the run without a failed test.
    failed += notPassed === 0 && code !== 0 ? Math.max(1, summary?.numFailedTestSuites ?? 0) : notPassed
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  failed += 1
}

console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

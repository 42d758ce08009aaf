import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { countImpossible, type TestReport } from './engineReport.js'
import { provideEngines, providePrograms } from './programs.js'
import { run } from './run.js'

/*
 * Runs every test but those of scripts/check.ts, and ends with one line that counts them all: "N passed, N
 * failed". A test that did not run counts as failed. A case that an engine cannot do counts as neither. All
 * projects run at once, so that those that wait for a page or for a window of the budget cost no time of
 * their own. Arguments are passed on to vitest: `npm test -- packages/bff`.
 */

function readReport(file: string): TestReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as TestReport
  } catch {
    return undefined
  }
}

interface Counts {
  readonly passed: number
  readonly failed: number
  /** Cases that an engine cannot do. They ran, and failed as docs/browsers.md says. */
  readonly impossible: number
}

/** Runs vitest, and counts what passed and what did not. */
async function runTests(filters: readonly string[]): Promise<Counts> {
  const folder = '.cache/test'
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const file = `${folder}/report.json`
  const env = { ...(await providePrograms()), ...(await provideEngines()) }
  const reporters = [
    '--reporter=default',
    '--reporter=./packages/testing/src/vitest/SilenceReporter.ts',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]
  const code = await run('npx', ['vitest', 'run', ...reporters, ...filters], env)

  const report = readReport(file)
  if (!report) return { passed: 0, failed: 1, impossible: 0 }
  const impossible = countImpossible(report)
  const passed = report.numPassedTests - impossible
  const notPassed = report.numTotalTests - report.numPassedTests
  // A suite that broke before its first test, or an error outside of every test, fails the run without a
  // failed test.
  const failed = notPassed === 0 && code !== 0 ? Math.max(1, report.numFailedTestSuites) : notPassed
  return { passed, failed, impossible }
}

const { passed, failed, impossible } = await runTests(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return { passed: 0, failed: 1, impossible: 0 }
})

if (impossible > 0)
  console.log(`\nCases that an engine cannot do, not counted: ${impossible}. See docs/browsers.md.`)
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

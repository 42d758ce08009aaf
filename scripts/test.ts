import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { providePrograms } from './programs.js'
import { run } from './run.js'

/*
 * Runs every test but those of scripts/topologies.ts, and ends with one line that counts them all: "N passed, N failed". A test that did not run
 * counts as failed. All projects run at once, so that those that wait for a page or for a window of the budget cost no time of their own.
 * Arguments are passed on to vitest: `npm test -- packages/bff`.
 */

const PROJECTS = ['--project', '!topologies']

interface Summary {
  readonly numPassedTests: number
  readonly numTotalTests: number
  readonly numFailedTestSuites: number
}

function readSummary(file: string): Summary | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Summary
  } catch {
    return undefined
  }
}

/** Runs vitest, and counts what passed and what did not. */
async function runTests(filters: readonly string[]): Promise<{ passed: number; failed: number }> {
  const folder = '.cache/test'
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const file = `${folder}/report.json`
  const env = await providePrograms()
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const code = await run('npx', ['vitest', 'run', ...PROJECTS, ...reporters, ...filters], env)

  const summary = readSummary(file)
  if (!summary) return { passed: 0, failed: 1 }
  const passed = summary.numPassedTests
  const notPassed = summary.numTotalTests - passed
  // A suite that broke before its first test, or an error outside of every test, fails the run without a failed test.
  const failed = notPassed === 0 && code !== 0 ? Math.max(1, summary.numFailedTestSuites) : notPassed
  return { passed, failed }
}

const { passed, failed } = await runTests(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return { passed: 0, failed: 1 }
})

console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

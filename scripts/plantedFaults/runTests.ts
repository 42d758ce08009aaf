import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

/** Longer than any file of tests takes: what hangs is found. */
const LIMIT_MS = 240_000

/** The first test that failed, or `undefined` if all passed. */
export type FirstFailure = string | undefined

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

/** Runs files of tests in a copied tree, up to the first failure. No files: every test. */
export async function runTests(
  folder: string,
  files: readonly string[],
  limitMs = LIMIT_MS,
): Promise<FirstFailure> {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const vitest = resolve('node_modules/vitest/vitest.mjs')
  const args = [
    'run',
    '--config',
    'faults.config.ts',
    '--bail=1',
    '--reporter=json',
    `--outputFile=${report}`,
  ]
  const child = spawn(process.execPath, [vitest, ...args, ...files], {
    cwd: folder,
    stdio: 'ignore',
    // A group of its own, so that its workers end with it.
    detached: true,
  })
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), limitMs)
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail)
    child.on('exit', done)
  })
  clearTimeout(timer)
  if (code === 0) return undefined
  if (code === null) return `no end within ${limitMs / 1000} s`
  return existsSync(report) ? firstFailure(folder, report) : 'the tests did not start'
}

function firstFailure(folder: string, report: string): string {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  for (const { name, message, assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === 'failed')
    if (failed) return `${relative(folder, name)}: ${failed.fullName}`
    if (message !== '') return `${relative(folder, name)}: ${message.split('\n')[0]}`
  }
  return 'an error outside of the tests'
}

import type { Reporter, TestModule, Vitest } from 'vitest/node'

const MINUTE_MS = 60_000
const LONGEST_SILENCE_MS = 5 * MINUTE_MS
/** While a test of the project `slow` runs: some install an application, and all its packages. */
const LONGEST_SLOW_MS = 20 * MINUTE_MS

/**
 * Ends a run in which no test has ended for long, and prints the files that are still running. A test's own
 * timeout does not help, because it runs in the page: if the page hangs, the timeout never fires.
 */
export default class SilenceReporter implements Reporter {
  readonly #running = new Set<string>()
  #vitest: Vitest | undefined
  #timer: NodeJS.Timeout | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    this.#wait()
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.add(nameOf(module))
    this.#wait()
  }

  onTestCaseResult(): void {
    this.#wait()
  }

  onTestModuleEnd(module: TestModule): void {
    this.#running.delete(nameOf(module))
    this.#wait()
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer)
  }

  #wait(): void {
    clearTimeout(this.#timer)
    const isSlow = [...this.#running].some((name) => name.startsWith('slow '))
    const silenceMs = isSlow ? LONGEST_SLOW_MS : LONGEST_SILENCE_MS
    this.#timer = setTimeout(() => this.#end(silenceMs), silenceMs)
  }

  #end(silenceMs: number): void {
    const files = [...this.#running].map((name) => `  ${name}`).join('\n')
    console.error(`\nNo test has ended for ${silenceMs / MINUTE_MS} minutes. Still running:\n${files}`)
    process.exitCode = 1
    void this.#vitest?.exit(true)
  }
}

const nameOf = ({ project, relativeModuleId }: TestModule): string => `${project.name}  ${relativeModuleId}`

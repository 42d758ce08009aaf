import { afterEach, expect, it, vi } from 'vitest'
import type { TestModule, Vitest } from 'vitest/node'
import SilenceReporter from './SilenceReporter.js'

const MINUTE_MS = 60_000
const { exitCode } = process

afterEach(() => {
  vi.useRealTimers()
  process.exitCode = exitCode
})

const file = (relativeModuleId: string, name = 'firefox'): TestModule =>
  ({ project: { name }, relativeModuleId }) as TestModule

it('ends a run in which no test has ended for five minutes, and names the files that still run', () => {
  vi.useFakeTimers()
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const exit = vi.fn<Vitest['exit']>()
  const reporter = new SilenceReporter()

  reporter.onInit({ exit } as unknown as Vitest)
  reporter.onTestModuleStart(file('done.test.ts'))
  reporter.onTestModuleStart(file('frozen.test.ts'))
  vi.advanceTimersByTime(4 * MINUTE_MS)
  reporter.onTestCaseResult()
  vi.advanceTimersByTime(4 * MINUTE_MS)
  reporter.onTestModuleEnd(file('done.test.ts'))
  vi.advanceTimersByTime(4 * MINUTE_MS)
  expect(exit).not.toHaveBeenCalled()

  vi.advanceTimersByTime(MINUTE_MS)
  expect(exit).toHaveBeenCalledExactlyOnceWith(true)
  expect(said).toHaveBeenCalledExactlyOnceWith(
    '\nNo test has ended for 5 minutes. Still running:\n  firefox  frozen.test.ts',
  )
  expect(process.exitCode).toBe(1)
})

it('waits twenty minutes for a slow test', () => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const exit = vi.fn<Vitest['exit']>()
  const reporter = new SilenceReporter()
  reporter.onInit({ exit } as unknown as Vitest)
  reporter.onTestModuleStart(file('install.slow.test.ts', 'slow'))
  vi.advanceTimersByTime(19 * MINUTE_MS)
  expect(exit).not.toHaveBeenCalled()
  vi.advanceTimersByTime(MINUTE_MS)
  expect(exit).toHaveBeenCalledOnce()
})

it('says nothing after the last test', () => {
  vi.useFakeTimers()
  const exit = vi.fn<Vitest['exit']>()
  const reporter = new SilenceReporter()
  reporter.onInit({ exit } as unknown as Vitest)
  reporter.onTestRunEnd()
  vi.advanceTimersByTime(60 * MINUTE_MS)
  expect(exit).not.toHaveBeenCalled()
})

import { vi } from 'vitest'

/*
 * Set-up of every file of tests. Servers, processes and pages are real, and the machine may be busy: a test
 * fails by its assertion, not by a slow second. vitest has an option for `expect.poll`, and none for
 * `vi.waitFor`.
 */

const TIMEOUT_MS = 60_000
const { waitFor } = vi

function waitPatiently(callback: () => unknown, options: number | { timeout?: number } = {}): unknown {
  return waitFor(callback, typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options })
}

// The files of a worker share `vi`.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently as typeof vi.waitFor

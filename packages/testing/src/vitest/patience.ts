import { vi } from 'vitest'

/*
 * Set-up of every test file. Servers, processes and pages are real, and the machine may be busy. A test
 * should fail because of its assertion and not because of a slow second. vitest has an option for the timeout
 * of `expect.poll`, but none for `vi.waitFor`.
 */

const TIMEOUT_MS = 60_000
const { waitFor } = vi

function waitPatiently(callback: () => unknown, options: number | { timeout?: number } = {}): unknown {
  return waitFor(callback, typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options })
}

// The files of a worker share `vi`.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently as typeof vi.waitFor

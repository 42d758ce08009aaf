import type { Platform } from '../core/platform/Platform.js'

/** Reads the globals at each call, so that a test may replace them. */
export const nodePlatform: Platform = {
  now: () => Date.now(),
  after(delayMs, task, { keepAlive = true } = {}) {
    const timer = setTimeout(task, delayMs)
    if (!keepAlive) timer.unref()
    return () => clearTimeout(timer)
  },
}

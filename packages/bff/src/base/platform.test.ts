import { afterEach, expect, it, vi } from 'vitest'
import { systemPlatform } from './platform.js'

afterEach(() => void vi.useRealTimers())

it('has no time of 0, which lru-cache takes for none, also under fake timers', () => {
  vi.useFakeTimers()
  expect(performance.now()).toBe(0)
  expect(systemPlatform.clock.now()).toBeGreaterThan(0)
})

import type { WaitHistogram } from './Budget.js'

const BOUNDS_MS = [10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const

export interface WaitCounter {
  add(waitMs: number): void
  read(): WaitHistogram
}

export function createWaitCounter(): WaitCounter {
  const counts = BOUNDS_MS.map(() => 0)
  let count = 0
  let sumMs = 0
  return {
    add(waitMs) {
      count += 1
      sumMs += waitMs
      for (const [index, bound] of BOUNDS_MS.entries())
        if (waitMs <= bound) counts[index] = (counts[index] ?? 0) + 1
    },
    read: () => ({
      count,
      sumMs,
      buckets: BOUNDS_MS.map((upToMs, index) => ({ upToMs, count: counts[index] ?? 0 })),
    }),
  }
}

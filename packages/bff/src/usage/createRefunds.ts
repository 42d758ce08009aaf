import { replyCode } from '@stagepass/budget'
import { LRUCache } from 'lru-cache/raw'
import { createAlarm } from '../base/createAlarm.js'
import { atMost, type Clock } from '../base/platform.js'
import type { Breaker } from './createBreaker.js'
import type { UsageStore } from './UsageStore.js'
import { OPEN_AFTER_MS } from './usageRules.js'

/** Interval between two attempts while the store does not answer. */
const AGAIN_MS = 1_000

/** Maximum number of reservations that wait. Beyond it, the oldest stays counted. */
const MAX_WAITING = 100_000

/**
 * Cancels reservations whose token no page has received, again and again until the store has answered. A
 * reservation whose own command got no answer is cancelled too, because it may exist.
 */
export function createRefunds(store: UsageStore, breaker: Breaker, clock: Clock) {
  /** The key of the sums of each reservation. */
  const waiting = new LRUCache<string, string>({
    ...atMost(MAX_WAITING),
    ttl: 1,
    ttlResolution: 0,
    perf: clock,
  })
  const alarm = createAlarm(clock, AGAIN_MS, () => void attemptAll())
  let isClosed = false

  /** Returns true if a further call makes sense now. */
  async function attempt(id: string, key: string): Promise<boolean> {
    try {
      await breaker(async () => {
        await store.cancel(key, id)
        // Here, because this reply may be late.
        waiting.delete(id)
      })
      return true
    } catch (error) {
      if (!isClosed) alarm.set()
      return replyCode(error) !== undefined
    }
  }

  async function attemptAll(): Promise<void> {
    const all = [...waiting.entries()]
    for (const [id, key] of all) if (!(await attempt(id, key))) return
  }

  return {
    /** Resolves after the first attempt. `ms`: the most that is reserved. */
    async add(key: string, id: string, ms: number): Promise<void> {
      waiting.set(id, key, { ttl: ms + OPEN_AFTER_MS })
      await attempt(id, key)
      if (waiting.size > 0 && !isClosed) alarm.set()
    },

    /** True while a sum of one of these keys may be too high. */
    isWaiting: (isOf: (key: string) => boolean): boolean => [...waiting.values()].some(isOf),

    /** Resolves after a last attempt. */
    async close(): Promise<void> {
      isClosed = true
      alarm.stop()
      await attemptAll()
      waiting.clear()
    },
  }
}

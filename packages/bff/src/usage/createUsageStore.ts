import type { RedisClient, RedisEval } from '@stagepass/budget'
import { LRUCache } from 'lru-cache/raw'
import { atMost, type Clock } from '../base/platform.js'
import { createRedisUsage } from './createRedisUsage.js'
import {
  type Call,
  CLOSED_MS,
  OPEN_AFTER_MS,
  type Replaced,
  reservedMsOf,
  type Settled,
  settledOf,
  SUM_MS,
} from './usageRules.js'
import type { Closed, UsageStore } from './UsageStore.js'

interface UsageStoreOptions {
  readonly redis: RedisClient | RedisEval | undefined
  /** Part of the keys in Redis. It separates the accounts, and keeps each on one node of a cluster. */
  readonly account: string
  readonly clock: Clock
}

export const createUsageStore = ({ redis, account, clock }: UsageStoreOptions): UsageStore =>
  redis ? createRedisUsage(redis, account) : inMemory(clock)

/**
 * Maximum number of users of a product that one process counts in a day, and of reservations. Both together
 * need about 50 MB.
 */
export const MAX_COUNTED_IN_MEMORY = 100_000

/** Shortest interval between two purges of expired sums, when the store is full. */
const PURGE_MS = 60_000

/**
 * Counts in this process. If there is no space for another user, `reserve` rejects, because dropping a user
 * would refund a whole day. If there is no space for another reservation, the oldest is dropped, and nothing
 * is refunded for it.
 */
function inMemory(clock: Clock): UsageStore {
  const bounded = { ...atMost(MAX_COUNTED_IN_MEMORY), perf: clock, ttlResolution: 0 }
  const kept = new LRUCache<string, { taken: number; used: number }>({ ...bounded, ttl: SUM_MS })
  /** The reservations in milliseconds, or what a closed one has cost, with the call that has closed it. */
  const opened = new LRUCache<
    string,
    number | { readonly call: Call; readonly closed?: Closed; readonly next?: string | undefined }
  >({
    ...bounded,
    ttl: 1,
  })
  let purgedAt = -Infinity

  function makeRoom(): void {
    if (kept.size < MAX_COUNTED_IN_MEMORY) return
    if (clock.now() - purgedAt >= PURGE_MS) {
      purgedAt = clock.now()
      if (kept.purgeStale()) return
    }
    throw new Error(`This process already counts ${MAX_COUNTED_IN_MEMORY} users of a product.`)
  }

  /** The result of a call for an open reservation. */
  const resultOf = (id: string, reservedMs: number, call: Call): Settled =>
    settledOf(reservedMs, Math.floor(reservedMs + OPEN_AFTER_MS - opened.getRemainingTTL(id)), call)

  /** What a report will subtract from `taken`. */
  function refundMsOf({ id, reportedMs }: Replaced): number {
    const reservedMs = opened.get(id)
    return typeof reservedMs === 'number' ? reservedMs - resultOf(id, reservedMs, reportedMs).usedMs : 0
  }

  function close(key: string, id: string, call: Call, by: string, next?: string): Closed | undefined {
    const known = opened.get(id)
    if (typeof known === 'object' && known.closed) return known.call === call ? known.closed : undefined
    const isOpen = typeof known === 'number'
    const result = isOpen ? resultOf(id, known, call) : undefined
    const closed = result && call !== 'none' ? { call, closed: { ...result, by }, next } : { call }
    // It must not displace an open one.
    if (known !== undefined || opened.size < MAX_COUNTED_IN_MEMORY) opened.set(id, closed, { ttl: CLOSED_MS })
    if (!isOpen || !result) return undefined
    const sums = kept.get(key)
    if (sums) {
      sums.used += result.usedMs
      sums.taken = Math.max(0, sums.taken - known + result.usedMs)
    }
    return closed.closed
  }

  return {
    async reserve(key, id, wanted, replaced) {
      const known = opened.get(id)
      if (known !== undefined) return typeof known === 'number' ? known : 0
      const old = replaced && opened.get(replaced.id)
      if (typeof old === 'object' && old.next !== undefined) return old.next
      let sums = kept.get(key)
      const reservedMs = reservedMsOf((sums?.taken ?? 0) - (replaced ? refundMsOf(replaced) : 0), wanted)
      if (reservedMs === 0) return 0
      if (!sums) {
        makeRoom()
        kept.set(key, (sums = { taken: 0, used: 0 }))
      }
      sums.taken += reservedMs
      opened.set(id, reservedMs, { ttl: reservedMs + OPEN_AFTER_MS })
      return reservedMs
    },
    settle: async (...args) => close(...args),
    async cancel(key, id) {
      close(key, id, 'none', '')
    },
    read: async (keys) => keys.map((key) => kept.get(key) ?? { taken: 0, used: 0 }),
  }
}

import type { RedisClient, RedisEval } from '@stagepass/budget'
import { LRUCache } from 'lru-cache/raw'
import { atMost, type Clock } from '../base/platform.js'
import { createRedisUsage } from './createRedisUsage.js'
import {
  BILL_MS,
  type Call,
  CLOSED_MS,
  type Crossed,
  MONTH_MS,
  OPEN_AFTER_MS,
  type Replaced,
  type Reserved,
  reservedMsOf,
  type Settled,
  settledOf,
  SUM_MS,
  type SumName,
  SUMS,
  sumsOf,
  thresholdOf,
  type Threshold,
  type Wanted,
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

/** Maximum number of accounts, each for a month, that one process counts. The least recently used is dropped. */
const MAX_ACCOUNT_MONTHS = 20_000

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
  /**
   * The sums of the month of each user who has a limit for it. Those of all users would fill the space for a
   * month, where days need it for two.
   */
  const months = new LRUCache<string, { taken: number }>({ ...bounded, ttl: MONTH_MS })
  /** The sums of each account and month, by field. */
  const accounts = new LRUCache<string, Map<string, number>>({
    ...atMost(MAX_ACCOUNT_MONTHS),
    perf: clock,
    ttlResolution: 0,
    ttl: BILL_MS,
  })
  /** The threshold that each sum has reached, of the highest limit that it had. */
  const reached = new LRUCache<string, { readonly percent: Threshold; readonly limitMs: number }>({
    ...bounded,
    ttl: MONTH_MS,
  })
  let purgedAt = -Infinity

  /** The sums in which the tokens of a key count. Those of its user are `undefined` before the first token. */
  function sumsAt(key: string) {
    const { userMonth, account, fields } = sumsOf(key)
    const ofAccount = accounts.get(account)
    const all: Record<SumName, number> = {
      'user day': kept.get(key)?.taken ?? 0,
      'user month': months.get(userMonth)?.taken ?? 0,
      'account day': ofAccount?.get(fields['account day']) ?? 0,
      'account month': ofAccount?.get(fields['account month']) ?? 0,
    }
    return { all, userMonth, account, fields }
  }

  /** Adds to each sum, or subtracts. Sums are not created by a subtraction. */
  function add(key: string, ms: number, hasMonth = false): void {
    const { userMonth, account, fields } = sumsOf(key)
    const day = kept.get(key) ?? (ms > 0 ? { taken: 0, used: 0 } : undefined)
    if (day) {
      day.taken = Math.max(0, day.taken + ms)
      if (!kept.has(key)) kept.set(key, day)
    }
    const month = months.get(userMonth) ?? (hasMonth ? { taken: 0 } : undefined)
    if (month) {
      month.taken = Math.max(0, month.taken + ms)
      if (!months.has(userMonth)) months.set(userMonth, month)
    }
    const ofAccount = accounts.get(account) ?? (ms > 0 ? new Map<string, number>() : undefined)
    if (!ofAccount) return
    for (const field of Object.values(fields)) {
      const before = ofAccount.get(field) ?? (ms > 0 ? 0 : undefined)
      if (before !== undefined) ofAccount.set(field, Math.max(0, before + ms))
    }
    if (!accounts.has(account)) accounts.set(account, ofAccount)
  }

  function makeRoom(): void {
    if (Math.max(kept.size, months.size) < MAX_COUNTED_IN_MEMORY) return
    if (clock.now() - purgedAt >= PURGE_MS) {
      purgedAt = clock.now()
      const [days, all] = [kept.purgeStale(), months.purgeStale()]
      if ((days || all) && Math.max(kept.size, months.size) < MAX_COUNTED_IN_MEMORY) return
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
    if (sums) sums.used += result.usedMs
    add(key, result.usedMs - known)
    return closed.closed
  }

  /** Reserves what every limit leaves, and finds the thresholds that are reached for the first time. */
  function reserveIn(key: string, wanted: Wanted, replaced: Replaced | undefined): Reserved {
    const { all, userMonth, account, fields } = sumsAt(key)
    const freedMs = replaced ? refundMsOf(replaced) : 0
    const takenIn = (sum: SumName): number =>
      all[sum] - (replaced?.isOfOtherDay && sum.endsWith('day') ? 0 : freedMs)
    const lives = SUMS.map((sum) => reservedMsOf(takenIn(sum), wanted, wanted.limits[sum]))
    const reservedMs = Math.min(...lives)
    const refusedBy = SUMS.filter((_sum, at) => lives[at] === 0)
    const marks = {
      'user day': key,
      'user month': userMonth,
      'account day': `${account}:${fields['account day']}`,
      'account month': `${account}:${fields['account month']}`,
    }
    const crossed = SUMS.flatMap((sum): Crossed[] => {
      const percent = refusedBy.includes(sum)
        ? 100
        : thresholdOf(takenIn(sum) + reservedMs, wanted.leastMs, wanted.limits[sum])
      const limitMs = wanted.limits[sum]
      const mark = reached.get(marks[sum])
      // A limit that was raised has thresholds of its own.
      if (percent === undefined || (mark && mark.limitMs >= limitMs && percent <= mark.percent)) return []
      reached.set(marks[sum], { percent, limitMs: Math.max(limitMs, mark?.limitMs ?? 0) })
      return [{ sum, percent }]
    })
    return { reservedMs, refusedBy, crossed }
  }

  return {
    async reserve(key, id, wanted, replaced) {
      const known = opened.get(id)
      if (known !== undefined)
        return { reservedMs: typeof known === 'number' ? known : 0, refusedBy: [], crossed: [] }
      const old = replaced && opened.get(replaced.id)
      if (typeof old === 'object' && old.next !== undefined) return old.next
      const hasMonth = wanted.limits['user month'] < Infinity
      if (!kept.has(key) || (hasMonth && !months.has(sumsOf(key).userMonth))) makeRoom()
      const result = reserveIn(key, wanted, replaced)
      const { reservedMs } = result
      if (reservedMs === 0) return result
      add(key, reservedMs, hasMonth)
      opened.set(id, reservedMs, { ttl: reservedMs + OPEN_AFTER_MS })
      return result
    },
    settle: async (...args) => close(...args),
    async cancel(key, id) {
      close(key, id, 'none', '')
    },
    async drop(account) {
      const isOf = (key: string): boolean => sumsOf(key).account.endsWith(`:${account}`)
      for (const key of kept.keys()) if (isOf(key)) kept.delete(key)
      for (const key of months.keys()) if (isOf(key)) months.delete(key)
      for (const key of reached.keys()) if (isOf(key) || key.includes(`:${account}:`)) reached.delete(key)
    },
    readAccount: async (names) => names.map((name) => accounts.get(name) ?? new Map<string, number>()),
    read: async (keys) =>
      keys.map((key) => ({
        ...(kept.get(key) ?? { taken: 0, used: 0 }),
        month: months.get(sumsOf(key).userMonth)?.taken ?? 0,
      })),
  }
}

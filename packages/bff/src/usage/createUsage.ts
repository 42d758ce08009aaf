import { type Product, PRODUCTS, type UsageResponse } from '@stagepass/contract'
import { LRUCache } from 'lru-cache'
import type { UserName } from '../crypto/userNames.js'
import { BffError } from '../errors/BffError.js'
import type { EmitEvent } from '../events/events.js'
import type { CheckedUsage } from '../gate/readGrant.js'
import { atMost, newId, type Platform } from '../platform/platform.js'
import { createReceipts, type Reservation } from './createReceipts.js'
import type { UsageStore } from './createUsageStore.js'

interface UsageOptions {
  readonly store: UsageStore
  /** Signs receipts, so that all instances can read them. */
  readonly secret: string | undefined
  readonly userName: UserName
  readonly platform: Platform
  readonly emit: EmitEvent
}

export interface ReservationRequest {
  readonly requestId: string
  readonly user: string
  readonly product: Product
  /** Requested lifetime of the token. */
  readonly minutes: number
  readonly usage: CheckedUsage
}

export type Usage = ReturnType<typeof createUsage>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** A report may arrive this long after the token has expired. */
export const REPORT_GRACE_MS = MINUTE_MS

/** Interval between sweeps for expired tokens. */
const SWEEP_MS = 15_000

/**
 * Time for which a reservation is open. It is longer than reports are accepted, so that the instance that
 * minted the token can close it.
 */
const openMs = (reservedMs: number): number => reservedMs + REPORT_GRACE_MS + 4 * SWEEP_MS

/**
 * Maximum number of tokens without a report that an instance remembers. Beyond it, there is no event `expiry`
 * for the oldest.
 */
const MAX_MINTED = 100_000

const RETRY_AFTER_MS = 1_000

/**
 * Time after which a failure of the store is forgotten, because there may be no further request that
 * succeeds.
 */
const DEGRADED_MS = 10_000

/** The UTC day. */
const nameOfDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
const endOfDay = (atMs: number): number => (Math.floor(atMs / DAY_MS) + 1) * DAY_MS

/**
 * Counts the minutes of users whose grant has `usage`. For each user, product and day there are two sums:
 * `taken` for all tokens, and `used` for settled tokens. The difference is reserved.
 *
 *                           report, in time, once: the rest is refunded
 *   mint: taken += life ──┬─────────────────────────────────────▶ used += min(used_ms, time since the mint)
 *                         │ no report until a minute after the life           taken -= the rest
 *                         ├─────────────────────────────────────▶ used += life
 *                         │ the mint fails
 *                         └─────────────────────────────────────▶ taken -= life
 *
 * Used plus reserved is always `taken`, in every order of events and after every crash. `taken` decreases
 * only after a reservation was closed, which works only once over all instances, or for a token that no page
 * received.
 */
export function createUsage({ store, secret, userName, platform, emit }: UsageOptions) {
  const { clock, wallNow } = platform
  const receipts = createReceipts(secret)

  const keyOf = async (user: string, product: Product, day: string): Promise<string> =>
    `${day}:${product}:${await userName(user)}`

  /** Refunds minutes. A negative sum means that the store lost its data, so it is restored to zero. */
  async function refund(key: string, ms: number): Promise<void> {
    if (ms <= 0) return
    const sumMs = await store.add(key, 'taken', -ms)
    if (sumMs < 0) await store.add(key, 'taken', Math.min(ms, -sumMs))
  }

  async function settle(reservation: Reservation, usedMs: number, by: 'report' | 'expiry'): Promise<void> {
    const { user, product, day, reservedMs } = reservation
    const key = await keyOf(user, product, day)
    if (usedMs > 0) await store.add(key, 'used', usedMs)
    await refund(key, reservedMs - usedMs)
    emit?.({ type: 'usage.settled', user, product, usedMs, reservedMs, by })
  }

  /** Tokens that this instance minted and that may still be reported. */
  const minted = new LRUCache<string, Reservation>({
    ...atMost(MAX_MINTED),
    ttl: 1,
    ttlResolution: 0,
    perf: clock,
    disposeAfter(reservation, _id, reason) {
      // If the store does not respond, a later sweep tries again.
      if (reason === 'expire') expire(reservation).catch(() => expireAfter(1, reservation))
    },
  })
  // One timer for all tokens, because a timer for each would cost more than the counting.
  let stopSweep: (() => void) | undefined
  let isClosed = false

  function expireAfter(ttl: number, reservation: Reservation): void {
    if (isClosed) return
    minted.set(reservation.id, reservation, { ttl })
    stopSweep ??= clock.after(SWEEP_MS, sweep, false)
  }

  function sweep(): void {
    minted.purgeStale()
    stopSweep = minted.size > 0 ? clock.after(SWEEP_MS, sweep, false) : undefined
  }

  /** Counts the whole lifetime of a token that was not reported. */
  async function expire(reservation: Reservation): Promise<void> {
    if ((await store.close(reservation.id)) === undefined) return
    await settle(reservation, reservation.reservedMs, 'expiry')
  }

  /**
   * Users whose minutes could not be counted since the last success. At most two, because more do not matter.
   */
  const failed = new Set<string>()
  let failedAt = -Infinity

  /** Runs a call of the store for a user. Rejects with USAGE_UNAVAILABLE if it fails. */
  async function inStore<TValue>(user: string, call: () => Promise<TValue>): Promise<TValue> {
    try {
      const value = await call()
      failed.clear()
      return value
    } catch (cause) {
      if (failed.size < 2) failed.add(user)
      failedAt = clock.now()
      throw new BffError('USAGE_UNAVAILABLE', { retryAfterMs: RETRY_AFTER_MS, cause })
    }
  }

  /**
   * Reserves the requested minutes, or fewer if fewer are left. Returns `undefined` if too few are left for
   * the shortest token.
   */
  async function open(request: ReservationRequest): Promise<Reservation | undefined> {
    const { user, product, minutes, usage } = request
    const day = nameOfDay(wallNow())
    const key = await keyOf(user, product, day)
    const wantedMs = minutes * MINUTE_MS
    const overMs = (await store.add(key, 'taken', wantedMs)) - (usage.limitMs[product] ?? Infinity)
    const leftMs = wantedMs - Math.max(0, Math.ceil(overMs / MINUTE_MS) * MINUTE_MS)
    const reservedMs = leftMs < PRODUCTS[product].ttlMinutes.min * MINUTE_MS ? 0 : leftMs
    await refund(key, wantedMs - reservedMs)
    if (reservedMs === 0) return undefined
    const id = newId()
    await store.open(id, openMs(reservedMs))
    return { user, product, day, reservedMs, id }
  }

  return {
    /**
     * Reserves the lifetime of a token. Then call `keep` or `release`. Rejects with USAGE_EXHAUSTED, or with
     * USAGE_UNAVAILABLE if the product has a limit and the store does not answer. Returns `undefined` if the
     * store does not answer and the product has no limit: this token is not counted.
     */
    async reserve(request: ReservationRequest): Promise<Reservation | undefined> {
      const { requestId, user, product, usage } = request
      const limitMs = usage.limitMs[product]
      const resetsAtMs = endOfDay(wallNow())
      try {
        const reservation = await inStore(user, () => open(request))
        if (reservation) return reservation
      } catch (error) {
        if (limitMs !== undefined) throw error
      }
      if (limitMs === undefined) return undefined
      emit?.({ type: 'usage.exhausted', requestId, user, product, limitMs, resetsAtMs })
      throw new BffError('USAGE_EXHAUSTED', { resetsAtMs })
    },

    /** Call it after the token was minted. Returns the receipt. */
    keep(reservation: Reservation): Promise<string> {
      expireAfter(reservation.reservedMs + REPORT_GRACE_MS, reservation)
      return receipts.write(reservation)
    },

    /** Call it if no token was minted. Refunds the whole reservation, if the store answers. */
    async release({ user, product, day, reservedMs }: Reservation): Promise<void> {
      await refund(await keyOf(user, product, day), reservedMs).catch(() => undefined)
    },

    /**
     * Settles a report. Returns `false`, and refunds nothing, if the receipt was changed, belongs to another
     * user, or is repeated or late. Rejects with USAGE_UNAVAILABLE.
     */
    async report(user: string, receipt: string, reportedMs: number): Promise<boolean> {
      const reservation = await receipts.read(user, receipt)
      if (!reservation) return false
      const { id, reservedMs } = reservation
      const restMs = await inStore(user, () => store.close(id))
      if (restMs === undefined) return false
      minted.delete(id)
      // Uses the clock of the store, because the clocks of instances differ and may step.
      const ageMs = Math.floor(openMs(reservedMs) - restMs)
      const isLate = ageMs > reservedMs + REPORT_GRACE_MS
      const usedMs = isLate ? reservedMs : Math.min(reportedMs, reservedMs, ageMs)
      await inStore(user, () => settle(reservation, usedMs, isLate ? 'expiry' : 'report'))
      return !isLate
    },

    /** Returns today's used and reserved minutes. Rejects with USAGE_UNAVAILABLE. */
    async read(
      user: string,
      products: readonly Product[],
      { limitMs }: CheckedUsage,
    ): Promise<UsageResponse> {
      const atMs = wallNow()
      const keys = await Promise.all(products.map((product) => keyOf(user, product, nameOfDay(atMs))))
      const sums = await inStore(user, () => store.read(keys))
      const rows = products.map((product, at) => {
        const { taken, used } = sums[at] ?? { taken: 0, used: 0 }
        const row = {
          used_ms: Math.min(used, taken),
          reserved_ms: Math.max(0, taken - used),
          limit_ms: limitMs[product] ?? null,
          resets_at: new Date(endOfDay(atMs)).toISOString(),
        }
        return [product, row] as const
      })
      return { usage: Object.fromEntries(rows) }
    },

    /** True if counting has recently failed for several users, with no success since then. */
    isDegraded: (): boolean => failed.size > 1 && clock.now() - failedAt < DEGRADED_MS,

    /** Forgets the tokens. Their reservations stay in Redis, and any instance accepts the reports. */
    close(): void {
      isClosed = true
      stopSweep?.()
      minted.clear()
    },
  }
}

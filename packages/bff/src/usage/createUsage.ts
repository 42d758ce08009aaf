import { replyCode } from '@stagepass/budget'
import { type Product, PRODUCTS, type UsageResponse } from '@stagepass/contract'
import type { SessionTokenRequest } from '@stagepass/contract/schemas'
import { LRUCache } from 'lru-cache/raw'
import { type GrantUser, userKey } from '../grant/userKey.js'
import type { UserName } from './userNames.js'
import { BffError } from '../base/BffError.js'
import type { EmitEvent } from '../telemetry/events.js'
import type { CheckedUsage } from '../grant/readGrant.js'
import { atMost, newId, type Platform } from '../base/platform.js'
import type { Breaker } from './createBreaker.js'
import { createReceipts, factsOf, readFacts, type Reservation } from './createReceipts.js'
import { createRefunds } from './createRefunds.js'
import type { UsageStore } from './UsageStore.js'
import { CLOSED_MS, REPORT_GRACE_MS, type Settled } from './usageRules.js'

interface UsageOptions {
  readonly store: UsageStore
  /** Every call of the store goes through it. */
  readonly breaker: Breaker
  /** Signs receipts, so that all instances can read them. */
  readonly secret: string | undefined
  readonly userName: UserName
  readonly platform: Platform
  readonly emit: EmitEvent
}

/** A call of the store that may follow. */
interface Waiting {
  readonly reservation: Reservation
  /** Of a report whose call got no answer. */
  readonly reportedMs: number | undefined
}

/** The token that a new one replaces, and the time that its page has reported. */
interface ReplacedToken {
  readonly reservation: Reservation
  readonly reportedMs: number
}

export interface ReservationRequest extends GrantUser {
  readonly requestId: string
  readonly product: Product
  /** Requested lifetime of the token. */
  readonly minutes: number
  readonly usage: CheckedUsage
  readonly replaced?: ReplacedToken | undefined
}

/** `replaced`: what is settled after the mint. */
interface NewReservation extends Reservation {
  readonly replaced: ReplacedToken | undefined
}

export type Usage = ReturnType<typeof createUsage>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Interval between sweeps for expired tokens. */
const SWEEP_MS = 15_000

/**
 * Maximum number of tokens without a report that an instance remembers. Beyond it, there is no event `expiry`
 * for the oldest.
 */
const MAX_MINTED = 100_000

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
 *                         │ no page received the token
 *                         └─────────────────────────────────────▶ taken -= life
 *
 * The mint of a token that replaces another one has the report of that token. What the report will refund
 * counts as left for the new token. The report itself is settled after the mint, because the page keeps the
 * old token if the mint fails. In between, `taken` has both.
 *
 * Each arrow is one call of the store. Used plus reserved is always `taken`, in every order of events and
 * after every crash. `taken` decreases only if a reservation is closed, which works only once over all
 * instances. A call without an answer may have been done: then a reservation is cancelled, and a report is
 * sent again, by the page and by this instance. The store knows the result for a minute. The instance whose
 * call has closed the reservation emits the event, once.
 */
export function createUsage({ store, breaker, secret, userName, platform, emit }: UsageOptions) {
  const { clock, wallNow } = platform
  const receipts = createReceipts(secret)
  const refunds = createRefunds(store, breaker, clock)

  const keyOf = async (user: GrantUser, product: Product, day: string): Promise<string> =>
    `${day}:${product}:${await userName(user)}`

  /** Without `reportedMs` the whole lifetime counts. */
  async function settle(
    reservation: Reservation,
    reportedMs?: number,
    next?: string,
  ): Promise<Settled | undefined> {
    const { id, user, account, product, day, reservedMs } = reservation
    const key = await keyOf(reservation, product, day)
    // Not at creation, because Cloudflare Workers have no random numbers before the first request.
    const self = (instance ??= newId())
    return breaker(async () => {
      const settled = await store.settle(key, id, reportedMs, self, next)
      // Here, because this reply may be late.
      minted.delete(id)
      if (settled?.by === self && !emitted.has(id)) {
        const { usedMs, isLate } = settled
        emitted.set(id, true)
        const by = reportedMs === undefined || isLate ? 'expiry' : 'report'
        emit?.({ type: 'usage.settled', user, account, product, usedMs, reservedMs, by })
      }
      return settled
    })
  }

  /** The name of this process for the store. */
  let instance: string | undefined
  /** Reservations whose event was emitted, for longer than the store knows their result. */
  const emitted = new LRUCache<string, true>({
    ...atMost(MAX_MINTED),
    ttl: CLOSED_MS + SWEEP_MS,
    ttlResolution: 0,
    perf: clock,
  })
  /** Tokens that this instance minted and that may still be reported, and reports without an answer. */
  const minted = new LRUCache<string, Waiting>({
    ...atMost(MAX_MINTED),
    ttl: 1,
    ttlResolution: 0,
    perf: clock,
    disposeAfter({ reservation, reportedMs }, _id, reason) {
      // If the store does not respond, a later sweep tries again.
      if (reason === 'expire')
        settle(reservation, reportedMs).catch(() => expireAfter(1, reservation, reportedMs))
    },
  })
  // One timer for all tokens, because a timer for each would cost more than the counting.
  let stopSweep: (() => void) | undefined
  let isClosed = false

  function expireAfter(ttl: number, reservation: Reservation, reportedMs?: number): void {
    if (isClosed) return
    minted.set(reservation.id, { reservation, reportedMs }, { ttl })
    stopSweep ??= clock.after(SWEEP_MS, sweep, false)
  }

  function sweep(): void {
    minted.purgeStale()
    stopSweep = minted.size > 0 ? clock.after(SWEEP_MS, sweep, false) : undefined
  }

  /**
   * Users whose minutes could not be counted since something was counted. At most two, because more do not
   * matter.
   */
  const failed = new Set<string>()
  let failedAt = -Infinity

  function unavailable(user: GrantUser, cause: unknown): BffError {
    if (failed.size < 2) failed.add(userKey(user))
    failedAt = clock.now()
    const reply = replyCode(cause)
    return new BffError('USAGE_UNAVAILABLE', { cause, seen: reply ? { cause: 'refused', reply } : undefined })
  }

  /** Runs a call of the store that writes. Rejects with USAGE_UNAVAILABLE if it fails. */
  async function counted<TValue>(user: GrantUser, call: () => Promise<TValue>): Promise<TValue> {
    try {
      const value = await call()
      // Not after a read: it also succeeds if nothing can be counted.
      failed.clear()
      return value
    } catch (cause) {
      throw unavailable(user, cause)
    }
  }

  /**
   * Reserves the requested minutes, or fewer if fewer are left. Returns `undefined` if too few are left for
   * the shortest token.
   */
  async function open(request: ReservationRequest): Promise<NewReservation | undefined> {
    const { user, account, product, minutes, usage, replaced } = request
    const day = nameOfDay(wallNow())
    const key = await keyOf({ user, account }, product, day)
    const id = newId()
    const wantedMs = minutes * MINUTE_MS
    const leastMs = PRODUCTS[product].ttlMinutes.min * MINUTE_MS
    const wanted = { wantedMs, leastMs, limitMs: usage.limitMs[product] ?? Infinity }
    // The minutes of another day are not left today.
    const old =
      replaced?.reservation.day === day
        ? { id: replaced.reservation.id, reportedMs: replaced.reportedMs }
        : undefined
    let isSent = false
    let reservedMs: number | string
    try {
      reservedMs = await breaker(() => {
        isSent = true
        return store.reserve(key, id, wanted, old)
      })
    } catch (error) {
      if (isSent && replyCode(error) === undefined) void refunds.add(key, id, wantedMs)
      throw error
    }
    if (typeof reservedMs === 'string') {
      if (!old) throw new Error('The reply of the store is not a number.')
      // The response of an earlier mint was lost: the page names the token that this mint has replaced.
      const lost = readFacts({ user, account }, reservedMs)
      const next = lost && { reservation: lost, reportedMs: replaced?.reportedMs ?? 0 }
      return open({ ...request, replaced: next })
    }
    if (reservedMs > 0) return { user, account, product, day, reservedMs, id, replaced }
    // The minutes may be there again in a moment, and a page does not repeat a request after USAGE_EXHAUSTED.
    if (refunds.isWaiting(key)) throw new Error('A refund of this user has not arrived yet.')
    return undefined
  }

  return {
    /**
     * Reads the receipt of a token that a new token of the product replaces. Returns `undefined` if the receipt
     * was changed, or belongs to another user or product: then the new token replaces none.
     */
    async readReplaced(
      user: GrantUser,
      product: Product,
      { receipt, used_ms }: NonNullable<SessionTokenRequest['replaces']>,
    ): Promise<ReplacedToken | undefined> {
      const reservation = await receipts.read(user, receipt)
      return reservation?.product === product ? { reservation, reportedMs: used_ms } : undefined
    },

    /**
     * Reserves the lifetime of a token. Then call `keep` or `release`. Rejects with USAGE_EXHAUSTED, or with
     * USAGE_UNAVAILABLE if the product has a limit and the store does not answer. Returns `undefined` if the
     * store does not answer and the product has no limit: this token is not counted.
     */
    async reserve(request: ReservationRequest): Promise<NewReservation | undefined> {
      const { requestId, user, account, product, usage } = request
      const limitMs = usage.limitMs[product]
      const resetsAtMs = endOfDay(wallNow())
      try {
        const reservation = await counted(request, () => open(request))
        if (reservation) return reservation
      } catch (error) {
        if (limitMs !== undefined) throw error
      }
      if (limitMs === undefined) return undefined
      emit?.({ type: 'usage.exhausted', requestId, user, account, product, limitMs, resetsAtMs })
      throw new BffError('USAGE_EXHAUSTED', { resetsAtMs })
    },

    /** Call it after the token was minted. Returns the receipt. */
    keep(reservation: Reservation): Promise<string> {
      expireAfter(reservation.reservedMs + REPORT_GRACE_MS, reservation)
      return receipts.write(reservation)
    },

    /**
     * Call it after the new token was minted. Settles the report of the replaced token: if the store does not
     * answer now, then later, because the page does not repeat it. It has no effect if the token was settled.
     * If the response is lost, the page names the replaced token again. So the store knows the new one for it.
     */
    async replace(replaced: ReplacedToken, by: NewReservation | undefined): Promise<void> {
      const { reservation, reportedMs } = by?.replaced ?? replaced
      await settle(reservation, reportedMs, by && factsOf(by)).catch(() =>
        expireAfter(1, reservation, reportedMs),
      )
    },

    /**
     * Call it if no page receives the token. Refunds the whole reservation: if the store does not answer now,
     * then later.
     */
    async release(reservation: Reservation): Promise<void> {
      const { product, day, reservedMs, id } = reservation
      minted.delete(id)
      await refunds.add(await keyOf(reservation, product, day), id, reservedMs)
    },

    /**
     * Settles a report. The same report again has the same result, and counts once. Returns `false`, and
     * refunds nothing, if the receipt was changed, belongs to another user, is late, or was reported
     * otherwise before. Rejects with USAGE_UNAVAILABLE.
     */
    async report(user: GrantUser, receipt: string, reportedMs: number): Promise<boolean> {
      const reservation = await receipts.read(user, receipt)
      if (!reservation) return false
      const settled = await counted(user, () =>
        settle(reservation, reportedMs).catch((error: unknown) => {
          if (replyCode(error) === undefined) expireAfter(1, reservation, reportedMs)
          throw error
        }),
      )
      return settled?.isLate === false
    },

    /** Returns today's used and reserved minutes. Rejects with USAGE_UNAVAILABLE. */
    async read(
      user: GrantUser,
      products: readonly Product[],
      { limitMs }: CheckedUsage,
    ): Promise<UsageResponse> {
      const atMs = wallNow()
      const keys = await Promise.all(products.map((product) => keyOf(user, product, nameOfDay(atMs))))
      const sums = await breaker(() => store.read(keys)).catch((cause: unknown) => {
        throw unavailable(user, cause)
      })
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

    /** True if counting has recently failed for several users, and nothing was counted since then. */
    isDegraded: (): boolean => failed.size > 1 && clock.now() - failedAt < DEGRADED_MS,

    /**
     * Forgets the tokens. Their reservations stay in Redis, and any instance accepts the reports. Resolves
     * after a last attempt to refund what waits.
     */
    async close(): Promise<void> {
      isClosed = true
      stopSweep?.()
      minted.clear()
      await refunds.close()
    },
  }
}

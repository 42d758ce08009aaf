import { LRUCache } from 'lru-cache/raw'
import { createAlarm } from '../base/createAlarm.js'
import { atMost, newId, type Platform } from '../base/platform.js'
import type { EmitEvent } from '../telemetry/events.js'
import type { Breaker } from './createBreaker.js'
import type { Reservation } from './createReceipts.js'
import type { UsageStore } from './UsageStore.js'
import { CLOSED_MS, REPORT_GRACE_MS, type Settled } from './usageRules.js'

interface SettlementsOptions {
  readonly store: UsageStore
  readonly breaker: Breaker
  readonly platform: Platform
  readonly emit: EmitEvent
  /** The key of the sums in which a reservation counts. */
  readonly keyOf: (reservation: Reservation) => Promise<string>
}

/** A call of the store that may follow. */
interface Waiting {
  readonly reservation: Reservation
  /** Of a report whose call got no answer. */
  readonly reportedMs: number | undefined
}

/** Interval between sweeps for expired tokens. */
const SWEEP_MS = 15_000

/**
 * Maximum number of tokens without a report that an instance remembers. Beyond it, there is no event `expiry`
 * for the oldest.
 */
const MAX_MINTED = 100_000

/**
 * Settles the reservations of tokens: with the report of the page, or with the whole lifetime if there was no
 * report until a minute after it. The instance whose call has closed a reservation emits the event, once.
 */
export function createSettlements({ store, breaker, platform, emit, keyOf }: SettlementsOptions) {
  const { clock } = platform
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
        settle(reservation, reportedMs).catch(() => settleAfter(1, reservation, reportedMs))
    },
  })
  // One timer for all tokens, because a timer for each would cost more than the counting.
  const alarm = createAlarm(clock, SWEEP_MS, sweep)
  let isClosed = false

  function settleAfter(ms: number, reservation: Reservation, reportedMs?: number): void {
    if (isClosed) return
    minted.set(reservation.id, { reservation, reportedMs }, { ttl: ms })
    alarm.set()
  }

  function sweep(): void {
    minted.purgeStale()
    if (minted.size > 0) alarm.set()
  }

  async function settle(
    reservation: Reservation,
    reportedMs: number | undefined,
    next?: string,
  ): Promise<Settled | undefined> {
    const { id, user, account, product, reservedMs } = reservation
    const key = await keyOf(reservation)
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

  return {
    /**
     * Settles a reservation with the report of its page. `next`: the facts of the reservation whose token
     * replaces it. Rejects if the store does not answer.
     */
    settle: (reservation: Reservation, reportedMs: number, next?: string) =>
      settle(reservation, reportedMs, next),

    /** Settles the report with the next sweep, and again until the store answers. */
    settleLater: (reservation: Reservation, reportedMs: number): void =>
      settleAfter(1, reservation, reportedMs),

    /** The token was minted: from now on its page may report it. */
    expect: (reservation: Reservation): void =>
      settleAfter(reservation.reservedMs + REPORT_GRACE_MS, reservation),

    /** No page received the token. */
    forget: (id: string): void => void minted.delete(id),

    /** Forgets the tokens. Their reservations stay in Redis, and any instance accepts the reports. */
    close(): void {
      isClosed = true
      alarm.stop()
      minted.clear()
    },
  }
}

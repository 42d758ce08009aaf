import { type Product, PRODUCTS, type UsageResponse } from '@stagepass/contract'
import { BffError } from '../context/BffError.js'
import type { EmitEvent } from '../context/events.js'
import type { Platform } from '../context/platform.js'
import type { UserName } from '../crypto/userNames.js'
import type { CheckedUsage } from '../gate/readGrant.js'
import { createDays } from './createDays.js'
import { createSignedReceipts, type ReceiptFacts, type Receipts } from './createReceipts.js'
import { keepNewest } from './keepNewest.js'
import type { SumsKey, UsageStore } from './createUsageStore.js'

interface UsageOptions {
  readonly store: UsageStore
  /** Signs receipts that several instances read. */
  readonly secret: string | undefined
  readonly trust: 'report' | 'none'
  readonly timeZone: string
  readonly userName: UserName
  readonly platform: Platform
  readonly emit: EmitEvent
}

export interface ReservationRequest {
  readonly requestId: string
  readonly user: string
  readonly product: Product
  /** The life of the token that is wanted. */
  readonly minutes: number
  readonly usage: CheckedUsage
}

/** The life of a token, taken from the minutes of its user. Keep it or release it, once. */
export interface Reservation {
  /** What the token may live: as wanted, or less. */
  readonly minutes: number
  /** The token was minted. Resolves with its receipt, which is missing if no report counts. */
  keep(): string | Promise<string> | undefined
  /** No token was minted: gives back all. */
  release(): Promise<void>
}

interface Awaited extends ReceiptFacts {
  readonly user: string
}

export type Usage = ReturnType<typeof createUsage>

const MINUTE_MS = 60_000

/** A report may come this long after the end of the token's life. */
export const REPORT_GRACE_MS = MINUTE_MS

/** How often is looked for tokens that have ended. */
const SWEEP_MS = 15_000

/** A reservation is open longer than a report counts, so that the instance of the mint closes it. */
const CLOSE_MARGIN_MS = 4 * SWEEP_MS

/**
 * How many tokens without a report an instance remembers. Beyond it, the oldest have no event `expiry`, and
 * in memory nothing is given back for them.
 */
const MAX_AWAITED = 100_000

const RETRY_AFTER_MS = 1_000

/** For how long a failure of the store says something about the present: no request may follow it. */
const DEGRADED_MS = 10_000

/** How long a reservation is in the store. */
const openMs = (reservedMs: number): number => reservedMs + REPORT_GRACE_MS + CLOSE_MARGIN_MS

/**
 * The minutes of users whose grant has `usage`. For each user, product and day there are two sums: `taken`,
 * of all tokens, and `used`, of those that are settled. What is reserved is the difference.
 *
 *                           report, in time, once: the rest goes back
 *   mint: taken += life ──┬─────────────────────────────────────▶ used += min(used_ms, time since the mint)
 *                         │ no report until a minute after the life           taken -= the rest
 *                         ├─────────────────────────────────────▶ used += life
 *                         │ the mint fails
 *                         └─────────────────────────────────────▶ taken -= life
 *
 * The sum of used and reserved is `taken`, in every order and at every crash. It only gets smaller after a
 * reservation was closed, which works once over all instances.
 */
export function createUsage({ store, secret, trust, timeZone, userName, platform, emit }: UsageOptions) {
  const { clock, wallNow } = platform
  const dayOf = createDays(timeZone)
  const { shared } = store
  /** Tokens that were minted here and may still be reported, oldest first. */
  const awaited = new Map<string, Awaited>()
  /** One instance knows its tokens by name: 122 random bits. There is nothing to sign. */
  const ownReceipts: Receipts = {
    write: (_user, { id }) => id,
    read(user, receipt) {
      const token = awaited.get(receipt)
      return token?.user === user ? token : undefined
    },
  }
  const receipts = shared && secret !== undefined ? createSignedReceipts(secret) : ownReceipts
  let stopSweep: (() => void) | undefined
  let isClosed = false

  /** Users whose minutes could not be counted, since the last one whose minutes were: as many as matter. */
  const failed = new Set<string>()
  let failedAt = -Infinity

  /** A sum outlives its day by the longest token, so that the last one of the day can be reported. */
  const lifeOfSums = (product: Product, endsAtMs: number): number =>
    endsAtMs - wallNow() + openMs(PRODUCTS[product].ttlMinutes.max * MINUTE_MS)

  /** Takes minutes if they are left: all, or as many as are left. `undefined`: too few. */
  async function take(key: SumsKey, wantedMs: number, limitMs: number, minMs: number, ttlMs: number) {
    let leftMs = wantedMs
    if (limitMs !== Infinity) {
      const [sums] = await store.read([key])
      leftMs = limitMs - (sums?.taken ?? 0)
    }
    for (;;) {
      const takenMs = Math.min(wantedMs, Math.floor(leftMs / MINUTE_MS) * MINUTE_MS)
      if (takenMs < minMs) return undefined
      const sumMs = await store.add(key, 'taken', takenMs, ttlMs)
      if (sumMs <= limitMs) return takenMs
      // Another request was faster. What it left is less than was read before, so this ends.
      leftMs = Math.min(leftMs - MINUTE_MS, limitMs - (await store.add(key, 'taken', -takenMs, ttlMs)))
    }
  }

  /** Gives back. A sum below zero was lost by the store: what it gave back was no longer counted. */
  async function giveBack(key: SumsKey, ms: number): Promise<void> {
    if (ms <= 0) return
    const sumMs = await store.add(key, 'taken', -ms, openMs(0))
    if (sumMs < 0) await store.add(key, 'taken', Math.min(ms, -sumMs), openMs(0))
  }

  async function settle(
    user: string,
    { product, day, reservedMs }: ReceiptFacts,
    usedMs: number,
    by: 'report' | 'expiry',
  ): Promise<void> {
    const key = { day, product, name: await userName(user) }
    if (usedMs > 0) await store.add(key, 'used', usedMs, lifeOfSums(product, dayOf(wallNow()).endsAtMs))
    await giveBack(key, reservedMs - usedMs)
    emit?.({ type: 'usage.settled', user, product, usedMs, reservedMs, by })
  }

  /** Closes a reservation, once. Resolves with the rest of its time, which is 0 in memory. */
  const close = async (id: string): Promise<number | undefined> => {
    if (!shared) return awaited.delete(id) ? 0 : undefined
    const restMs = await shared.close(id)
    awaited.delete(id)
    return restMs
  }

  /** Counts the whole life of a token that is not reported. */
  function awaitEnd(token: Awaited): void {
    awaited.set(token.id, token)
    keepNewest(awaited, MAX_AWAITED)
    // One timer for all: a timer for each token costs more than its count.
    stopSweep ??= clock.after(SWEEP_MS, sweep, false)
  }

  function sweep(): void {
    stopSweep = undefined
    for (const token of awaited.values()) {
      if (clock.now() < token.atMs + token.reservedMs + REPORT_GRACE_MS) continue
      close(token.id)
        .then((restMs) =>
          restMs === undefined ? undefined : settle(token.user, token, token.reservedMs, 'expiry'),
        )
        // The store is lost. The next sweep tries again.
        .catch(() => undefined)
    }
    if (awaited.size > 0) stopSweep = clock.after(SWEEP_MS, sweep, false)
  }

  async function reserveInStore(request: ReservationRequest): Promise<Reservation> {
    const { requestId, user, product, usage } = request
    const { name: day, endsAtMs } = dayOf(wallNow())
    const named = userName(user)
    const name = typeof named === 'string' ? named : await named
    const key = { day, product, name }
    const ttlMs = lifeOfSums(product, endsAtMs)
    const limitMs = usage.limitMs[product]
    const wantedMs = request.minutes * MINUTE_MS
    const minMs = PRODUCTS[product].ttlMinutes.min * MINUTE_MS
    const reservedMs = await take(key, wantedMs, limitMs ?? Infinity, minMs, ttlMs)
    if (reservedMs === undefined) {
      emit?.({
        type: 'usage.exhausted',
        requestId,
        user,
        product,
        limitMs: limitMs ?? 0,
        resetsAtMs: endsAtMs,
      })
      throw new BffError('USAGE_EXHAUSTED', { resetsAtMs: endsAtMs })
    }
    const id = crypto.randomUUID()
    const token: Awaited = { user, product, day, reservedMs, atMs: Math.floor(clock.now()), id }
    try {
      await shared?.open(id, openMs(reservedMs))
    } catch (error) {
      void giveBack(key, reservedMs).catch(() => undefined)
      throw error
    }
    return {
      minutes: reservedMs / MINUTE_MS,
      keep() {
        if (!isClosed) awaitEnd(token)
        return trust === 'report' ? receipts.write(user, token) : undefined
      },
      async release() {
        // If the store does not answer, the life stays taken: too much is counted, never too little.
        const restMs = shared ? await shared.close(id).catch(() => undefined) : 0
        if (restMs !== undefined) await giveBack(key, reservedMs).catch(() => undefined)
      },
    }
  }

  /** The time since the mint. The clocks of instances differ and step; that of Redis is one for all. */
  const ageOf = ({ reservedMs, atMs }: ReceiptFacts, restMs: number): number =>
    shared ? openMs(reservedMs) - restMs : Math.floor(clock.now()) - atMs

  /** What the store does for a user. Rejects with USAGE_UNAVAILABLE if it fails. */
  async function inStore<TValue>(user: string, call: () => Promise<TValue>): Promise<TValue> {
    try {
      const value = await call()
      failed.clear()
      return value
    } catch (error) {
      // The store has answered, and the user has no minutes left.
      if (error instanceof BffError) {
        failed.clear()
        throw error
      }
      if (failed.size < 2) failed.add(user)
      failedAt = clock.now()
      throw new BffError('USAGE_UNAVAILABLE', { retryAfterMs: RETRY_AFTER_MS, cause: error })
    }
  }

  return {
    /**
     * Reserves the life of a token. Rejects with USAGE_EXHAUSTED, and with USAGE_UNAVAILABLE if the product
     * has a limit and the store does not answer. `undefined`: it has none, and this token is not counted.
     */
    async reserve(request: ReservationRequest): Promise<Reservation | undefined> {
      try {
        return await inStore(request.user, () => reserveInStore(request))
      } catch (error) {
        const isLimited = request.usage.limitMs[request.product] !== undefined
        if (isLimited || (error instanceof BffError && error.code === 'USAGE_EXHAUSTED')) throw error
        return undefined
      }
    },

    /**
     * Settles a report. `false`: the receipt is changed, of another user, repeated or late, and nothing has
     * changed. Rejects with USAGE_UNAVAILABLE.
     */
    async report(user: string, receipt: string, reportedMs: number): Promise<boolean> {
      const facts = await receipts.read(user, receipt)
      if (!facts || trust === 'none') return false
      const restMs = await inStore(user, () => close(facts.id))
      if (restMs === undefined) return false
      const ageMs = ageOf(facts, restMs)
      const isLate = ageMs > facts.reservedMs + REPORT_GRACE_MS
      const usedMs = isLate ? facts.reservedMs : Math.min(reportedMs, facts.reservedMs, Math.max(0, ageMs))
      await inStore(user, () => settle(user, facts, usedMs, isLate ? 'expiry' : 'report'))
      return !isLate
    },

    /** What is used and reserved of today. Rejects with USAGE_UNAVAILABLE. */
    async read(
      user: string,
      products: readonly Product[],
      { limitMs }: CheckedUsage,
    ): Promise<UsageResponse> {
      const { name: day, endsAtMs } = dayOf(wallNow())
      const resets_at = new Date(endsAtMs).toISOString()
      const name = await userName(user)
      const keys = products.map((product) => ({ day, product, name }))
      const sums = await inStore(user, () => store.read(keys))
      const rows = products.map((product, at) => {
        const { taken, used } = sums[at] ?? { taken: 0, used: 0 }
        const row = {
          used_ms: Math.min(used, taken),
          reserved_ms: Math.max(0, taken - used),
          limit_ms: limitMs[product] ?? null,
          resets_at,
        }
        return [product, row] as const
      })
      return { usage: Object.fromEntries(rows) }
    },

    /**
     * True if the minutes of several users could not be counted a moment ago, and since then of none could.
     */
    isDegraded: (): boolean => failed.size > 1 && clock.now() - failedAt < DEGRADED_MS,

    /** Forgets the tokens. What is reserved stays reserved in Redis, and any instance takes its report. */
    close(): void {
      isClosed = true
      stopSweep?.()
      awaited.clear()
    },
  }
}

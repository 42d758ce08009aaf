import { replyCode } from '@stagepass/budget'
import { encodeText, isProduct, type Product, PRODUCTS, type UsageResponse } from '@stagepass/contract'
import type { SessionTokenRequest } from '@stagepass/contract/schemas'
import { type GrantUser, userKey } from '../grant/userKey.js'
import { accountKey, type UserName } from './userNames.js'
import { BffError } from '../base/BffError.js'
import type { EmitEvent } from '../telemetry/events.js'
import type { CheckedGrant, CheckedUsage } from '../grant/readGrant.js'
import { newId, type Platform } from '../base/platform.js'
import type { Breaker } from './createBreaker.js'
import { createReceipts, factsOf, readFacts, type Reservation } from './createReceipts.js'
import { createRefunds } from './createRefunds.js'
import { createSettlements } from './createSettlements.js'
import type { UsageStore } from './UsageStore.js'
import { type Limits, type Reserved, type SumName, sumsOf } from './usageRules.js'

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
  readonly limits: Limits
  readonly replaced?: ReplacedToken | undefined
}

/** What the users of an account have used of one product on one UTC day. */
export interface AccountUsage {
  /** Such as `2030-01-31`. */
  readonly day: string
  readonly product: Product
  readonly usedMs: number
}

const isOfUser = (sum: SumName): boolean => sum.startsWith('user')

const partsOf = (sum: SumName) => {
  const [of, per] = sum.split(' ') as ['user' | 'account', 'day' | 'month'] // the parts of each `SumName`
  return { of, per }
}

/** `replaced`: what is settled after the mint. */
interface NewReservation extends Reservation {
  readonly replaced: ReplacedToken | undefined
}

export type Usage = ReturnType<typeof createUsage>

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * Time after which a failure of the store is forgotten, because there may be no further request that
 * succeeds.
 */
const DEGRADED_MS = 10_000

/** The UTC day. */
const nameOfDay = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10)
const endOfDay = (atMs: number): number => (Math.floor(atMs / DAY_MS) + 1) * DAY_MS
const endOfMonth = (atMs: number): number => {
  const at = new Date(atMs)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1)
}

/** The limits of a grant for one product. */
export const limitsOf = ({ usage, accountUsage }: UsageOfGrant, product: Product): Limits => ({
  'user day': usage?.dayMs[product] ?? Infinity,
  'user month': usage?.monthMs[product] ?? Infinity,
  'account day': accountUsage?.dayMs[product] ?? Infinity,
  'account month': accountUsage?.monthMs[product] ?? Infinity,
})

type UsageOfGrant = Pick<CheckedGrant, 'usage' | 'accountUsage'>

/** True if the minutes of the product have a limit. */
export const isLimited = (grant: UsageOfGrant, product: Product): boolean =>
  Object.values(limitsOf(grant, product)).some((limitMs) => limitMs < Infinity)

/**
 * Counts the minutes of users whose grant has `usage` or `accountUsage`. For each user, product and day there
 * are two sums: `taken` for all tokens, and `used` for settled tokens. The difference is reserved. The sums of
 * the month, and those of the account, have `taken` alone.
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
 * sent again, by the page and by this instance. The store knows the result for a minute.
 */
export function createUsage({ store, breaker, secret, userName, platform, emit }: UsageOptions) {
  const { clock, wallNow } = platform
  const receipts = createReceipts(secret)
  const refunds = createRefunds(store, breaker, clock)

  /** A colon separates the parts, as `sumsOf` reads them. In memory, the name of an account may have one. */
  const accountOf = async (account: string | undefined): Promise<string> =>
    encodeText(await accountKey(userName, account))

  const keyOf = async (of: GrantUser & { product: Product; day: string }): Promise<string> =>
    `${of.day}:${of.product}:${await accountOf(of.account)}:${await userName(of)}`

  const settlements = createSettlements({ store, breaker, platform, emit, keyOf })

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
   * Reserves the requested minutes, or fewer if fewer are left. Returns the names of the sums in which too few
   * are left for the shortest token.
   */
  async function open(request: ReservationRequest): Promise<NewReservation | readonly SumName[]> {
    const { user, account, product, minutes, limits, replaced } = request
    const day = nameOfDay(wallNow())
    const key = await keyOf({ user, account, product, day })
    const id = newId()
    const wantedMs = minutes * MINUTE_MS
    const leastMs = PRODUCTS[product].ttlMinutes.min * MINUTE_MS
    const wanted = { wantedMs, leastMs, limits }
    const { day: oldDay = '', id: oldId = '' } = replaced?.reservation ?? {}
    // The minutes of another day are not left today, but in this month.
    const old =
      replaced && oldDay.slice(0, 7) === day.slice(0, 7)
        ? { id: oldId, reportedMs: replaced.reportedMs, isOfOtherDay: oldDay !== day }
        : undefined
    let isSent = false
    let reserved: Reserved | string
    try {
      reserved = await breaker(() => {
        isSent = true
        return store.reserve(key, id, wanted, old)
      })
    } catch (error) {
      if (isSent && replyCode(error) === undefined) void refunds.add(key, id, wantedMs)
      throw error
    }
    if (typeof reserved === 'string') {
      if (!old) throw new Error('The reply of the store is not a number.')
      // The response of an earlier mint was lost: the page names the token that this mint has replaced.
      const lost = readFacts({ user, account }, reserved)
      const next = lost && { reservation: lost, reportedMs: replaced?.reportedMs ?? 0 }
      return open({ ...request, replaced: next })
    }
    const { reservedMs, refusedBy, crossed } = reserved
    for (const { sum, percent } of crossed)
      emit?.({
        type: 'usage.threshold',
        user,
        account,
        product,
        percent,
        limitMs: limits[sum],
        ...partsOf(sum),
      })
    if (reservedMs > 0) return { user, account, product, day, reservedMs, id, replaced }
    // The minutes may be there again in a moment, and a page does not repeat a request after USAGE_EXHAUSTED.
    const ofAccount = sumsOf(key).account
    const isOf = refusedBy.every(isOfUser)
      ? (other: string) => other === key
      : (other: string) => sumsOf(other).account === ofAccount
    if (refunds.isWaiting(isOf)) throw new Error('A refund has not arrived yet.')
    return refusedBy
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
      const { requestId, user, account, product, limits } = request
      let opened: NewReservation | readonly SumName[]
      try {
        opened = await counted(request, () => open(request))
      } catch (error) {
        if (Object.values(limits).some((limitMs) => limitMs < Infinity)) throw error
        return undefined
      }
      if ('id' in opened) return opened
      // The limit that stays longest: with those of the user alone, the user may come back earlier.
      const sum = opened.findLast((one) => !isOfUser(one)) ?? opened.at(-1) ?? 'user day'
      const { of, per } = partsOf(sum)
      const resetsAtMs = per === 'day' ? endOfDay(wallNow()) : endOfMonth(wallNow())
      const limitMs = limits[sum]
      emit?.({ type: 'usage.exhausted', requestId, user, account, product, of, per, limitMs, resetsAtMs })
      throw new BffError(of === 'user' ? 'USAGE_EXHAUSTED' : 'ACCOUNT_USAGE_EXHAUSTED', { resetsAtMs })
    },

    /** Call it after the token was minted. Returns the receipt. */
    keep(reservation: Reservation): Promise<string> {
      settlements.expect(reservation)
      return receipts.write(reservation)
    },

    /**
     * Call it after the new token was minted. Settles the report of the replaced token: if the store does not
     * answer now, then later, because the page does not repeat it. It has no effect if the token was settled.
     * If the response is lost, the page names the replaced token again. So the store knows the new one for it.
     */
    async replace(replaced: ReplacedToken, by: NewReservation | undefined): Promise<void> {
      const { reservation, reportedMs } = by?.replaced ?? replaced
      await settlements
        .settle(reservation, reportedMs, by && factsOf(by))
        .catch(() => settlements.settleLater(reservation, reportedMs))
    },

    /**
     * Call it if no page receives the token. Refunds the whole reservation: if the store does not answer now,
     * then later.
     */
    async release(reservation: Reservation): Promise<void> {
      const { reservedMs, id } = reservation
      settlements.forget(id)
      await refunds.add(await keyOf(reservation), id, reservedMs)
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
        settlements.settle(reservation, reportedMs).catch((error: unknown) => {
          if (replyCode(error) === undefined) settlements.settleLater(reservation, reportedMs)
          throw error
        }),
      )
      return settled?.isLate === false
    },

    /** Returns today's used and reserved minutes. Rejects with USAGE_UNAVAILABLE. */
    async read(
      user: GrantUser,
      products: readonly Product[],
      { dayMs, monthMs }: CheckedUsage,
    ): Promise<UsageResponse> {
      const atMs = wallNow()
      const keys = await Promise.all(
        products.map((product) => keyOf({ ...user, product, day: nameOfDay(atMs) })),
      )
      const sums = await breaker(() => store.read(keys)).catch((cause: unknown) => {
        throw unavailable(user, cause)
      })
      const rows = products.map((product, at) => {
        const { taken = 0, used = 0, month = 0 } = sums[at] ?? {}
        const ofMonth = monthMs[product]
        const row = {
          used_ms: Math.min(used, taken),
          reserved_ms: Math.max(0, taken - used),
          limit_ms: dayMs[product] ?? null,
          resets_at: new Date(endOfDay(atMs)).toISOString(),
          ...(ofMonth !== undefined && { month_left_ms: Math.max(0, ofMonth - month) }),
        }
        return [product, row] as const
      })
      return { usage: Object.fromEntries(rows) }
    },

    /**
     * The minutes of an account on each day, by product. A token without a report counts with its whole life.
     * `months`: such as `2030-01`.
     */
    async ofAccount(
      account: string | undefined,
      months: readonly string[],
    ): Promise<readonly AccountUsage[]> {
      const name = await accountOf(account)
      const sums = await breaker(() => store.readAccount(months.map((month) => `${month}:${name}`)))
      return months.flatMap((month, at) =>
        [...(sums[at] ?? [])].flatMap(([field, usedMs]) => {
          const [product = '', day] = field.split(':')
          return day === undefined || !isProduct(product) || usedMs === 0
            ? []
            : [{ day: `${month}-${day}`, product, usedMs }]
        }),
      )
    },

    /** Drops the minutes of an account's users. Those of the account, for a bill, stay. */
    async drop(account: string): Promise<void> {
      const name = await accountOf(account)
      await store.drop(name)
    },

    /** True if counting has recently failed for several users, and nothing was counted since then. */
    isDegraded: (): boolean => failed.size > 1 && clock.now() - failedAt < DEGRADED_MS,

    /**
     * Forgets the tokens. Their reservations stay in Redis, and any instance accepts the reports. Resolves
     * after a last attempt to refund what waits.
     */
    async close(): Promise<void> {
      settlements.close()
      await refunds.close()
    },
  }
}

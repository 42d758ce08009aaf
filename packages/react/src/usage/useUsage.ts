'use client'

import { type Product, PRODUCT_NAMES } from '@stagepass/contract'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useReducer } from 'react'
import { perClient } from '../identity/perClient.js'
import { queryKey } from '../query/queryKey.js'
import { useClient } from '../identity/useClient.js'
import type { Platform, TimerHandle } from '../platform/platform.js'
import { isFromBefore } from '../query/isFromBefore.js'
import { queryDefaults } from '../query/queryDefaults.js'
import { unlessOffline } from '../query/unlessOffline.js'
import { useFoundQueryClient } from '../query/useFoundQueryClient.js'
import { usageOf } from './usageOf.js'
import type { FetchStatus } from '../query/QueryStatus.js'
import type { VoiceError } from '../errors/VoiceError.js'
import { readUsage, type TodaysUsage } from './readUsage.js'

interface UsageNumbers {
  /** Used today. Increases every second while a stream of this page is open. */
  readonly usedMs: number | undefined
  /** Reserved by tokens that have not ended, of this page and of the user's other pages. */
  readonly reservedMs: number | undefined
  /** `null`: no limit. */
  readonly limitMs: number | null | undefined
  /**
   * The time at which the count starts again. Never in the past, by the page's clock: `undefined` while the
   * numbers of the new day are requested.
   */
  readonly resetsAt: Date | undefined
  /** What is left of the UTC month, less what is reserved. `null`: no limit. */
  readonly monthLeftMs: number | null | undefined
}

/**
 * The result of `useUsage`. The numbers are `undefined` until they are known, and if the BFF does not count.
 */
export type UseUsageResult = UsageNumbers &
  FetchStatus & {
    /**
     * Requests the numbers again. Resolves when this has ended, or the browser is offline. Never rejects: a
     * failure is the `error`.
     */
    readonly refetch: () => Promise<void>
  } & (
    | { readonly status: 'pending' | 'success'; readonly error: null }
    | { readonly status: 'error'; readonly error: VoiceError }
  )

const TICK_MS = 1_000

/**
 * While the numbers are those of a day that is over, they are requested once in this time. If the page's
 * clock is ahead, the next day has not begun at the server.
 */
const NEW_DAY_MS = 60_000

/** Monotonic time of the last request because of a new day. */
const newDayOf = perClient(() => ({ askedAt: -Infinity }))

/**
 * The minutes of a product, or of all products together, that the user has used today. Requested once, again
 * when a token is minted, and when a new day has begun, also after a sleep or from a persisted cache. It does
 * not poll.
 *
 * @example const { usedMs, limitMs, resetsAt } = useUsage('stt')
 */
export function useUsage(product?: Product): UseUsageResult {
  const client = useClient()
  const queryClient = useFoundQueryClient()
  const key = useMemo(() => queryKey(client, { usage: 'today' }), [client])
  const usage = usageOf(client)
  const [, render] = useReducer((count: number) => count + 1, 0)
  const { data, status, error, fetchStatus, isPaused, refetch } = useQuery({
    ...queryDefaults(client),
    queryKey: key,
    queryFn: ({ signal }) => client.request({ route: '/usage', signal, read: readUsage }),
    staleTime: ({ state }) =>
      isFromBefore(client, state.dataUpdatedAt) || isOver(state.data, client.platform) ? 0 : Infinity,
    throwOnError: false,
  })

  useEffect(() => {
    const { platform } = client
    const newDay = newDayOf(client)
    let timer: TimerHandle | undefined
    const ask = (): void => void queryClient.invalidateQueries({ queryKey: key })
    const tick = (): void => {
      timer = platform.setTimeout(() => {
        const now = platform.now()
        const isNewDay = isOver(queryClient.getQueryData(key), platform)
        if (isNewDay && now - newDay.askedAt >= NEW_DAY_MS) {
          newDay.askedAt = now
          ask()
          render()
        }
        if (productsOf(product).some((name) => usage.used(name).open > 0)) render()
        tick()
      }, TICK_MS)
    }
    tick()
    const unsubscribes = [
      usage.onAnswer((answer) => {
        const numbers = readUsage(answer)
        if (numbers) queryClient.setQueryData(key, numbers)
        // No component waits for a report. The request of the numbers shows the error.
        else ask()
      }),
      usage.onMint(ask),
    ]
    return () => {
      platform.clearTimeout(timer)
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }, [client, key, product, queryClient, usage])

  const refetchUsage = useCallback(async () => void (await unlessOffline(refetch())), [refetch])

  // The cast is safe: the query has an error exactly if its status is `error`.
  return {
    status,
    error,
    fetchStatus,
    isPaused,
    refetch: refetchUsage,
    ...numbersOf(data ?? {}, product, (name) => usage.used(name).usedMs),
    ...(isOver(data, client.platform) && { resetsAt: undefined }),
  } as UseUsageResult
}

/**
 * True if the day of the numbers is over. Without numbers the clock is not read: Next.js refuses to prerender
 * a component that reads it.
 */
function isOver(usage: TodaysUsage | undefined, platform: Platform): boolean {
  return Object.values(usage ?? {}).some(({ resets_at }) => Date.parse(resets_at) <= platform.wallNow())
}

const productsOf = (product: Product | undefined): readonly Product[] =>
  product === undefined ? PRODUCT_NAMES : [product]

/** The numbers of a product or of all products, including the time that this page has not reported yet. */
function numbersOf(
  usage: TodaysUsage,
  product: Product | undefined,
  notReportedMs: (name: Product) => number,
): UsageNumbers {
  let [usedMs, reservedMs, limitMs]: [number, number, number | null] = [0, 0, 0]
  let monthLeftMs: number | null = 0
  let resetsAt: Date | undefined
  for (const name of productsOf(product)) {
    const row = usage[name]
    if (!row) continue
    const movedMs = Math.min(Math.round(notReportedMs(name)), row.reserved_ms)
    usedMs += row.used_ms + movedMs
    reservedMs += row.reserved_ms - movedMs
    limitMs = limitMs === null || row.limit_ms === null ? null : limitMs + row.limit_ms
    const leftMs = row.month_left_ms
    monthLeftMs = monthLeftMs === null || leftMs === undefined ? null : monthLeftMs + leftMs
    resetsAt = new Date(row.resets_at)
  }
  if (!resetsAt)
    return { usedMs: undefined, reservedMs: undefined, limitMs: undefined, resetsAt, monthLeftMs: undefined }
  return { usedMs, reservedMs, limitMs, resetsAt, monthLeftMs }
}

'use client'

import { type Product, PRODUCT_NAMES } from '@stagepass/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useReducer } from 'react'
import { queryKey } from '../client/queryKey.js'
import { useClient } from '../client/useClient.js'
import type { TimerHandle } from '../platform/platform.js'
import { queryDefaults } from '../request/queryDefaults.js'
import { useFoundQueryClient } from '../request/useFoundQueryClient.js'
import { usageOf } from '../token/usageOf.js'
import type { VoiceError } from '../VoiceError.js'
import { readUsage, type TodaysUsage } from './readUsage.js'

interface UsageNumbers {
  /** Used today. It goes on by itself while a stream of this page is open. */
  readonly usedMs: number | undefined
  /** Held by tokens that have not ended: of this page, and of others of the user. */
  readonly reservedMs: number | undefined
  /** `null`: no limit. */
  readonly limitMs: number | null | undefined
  /** When the next day begins. */
  readonly resetsAt: Date | undefined
}

/** What `useUsage` returns. The numbers are `undefined` until they are known, and if nothing is counted. */
export type UseUsageResult = UsageNumbers &
  (
    | { readonly status: 'pending' | 'success'; readonly error: null }
    | { readonly status: 'error'; readonly error: VoiceError }
  )

const TICK_MS = 1_000

/**
 * The minutes that the user has used of a product today, or of all products together. It asks the BFF once,
 * and again when a token is minted. It does not poll.
 *
 * @example const { usedMs, limitMs, resetsAt } = useUsage('stt')
 */
export function useUsage(product?: Product): UseUsageResult {
  const client = useClient()
  const queryClient = useFoundQueryClient()
  const key = useMemo(() => queryKey(client, { usage: 'today' }), [client])
  const usage = usageOf(client)
  const [, render] = useReducer((count: number) => count + 1, 0)
  const { data, status, error } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => readUsage(await client.request({ route: '/usage', signal })),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    ...queryDefaults(client),
    throwOnError: false,
  })

  useEffect(() => {
    const { platform } = client
    let timer: TimerHandle | undefined
    const tick = (): void => {
      timer = platform.setTimeout(() => {
        if (productsOf(product).some((name) => usage.used(name).open > 0)) render()
        tick()
      }, TICK_MS)
    }
    tick()
    const undos = [
      usage.onAnswer((answer) => void queryClient.setQueryData(key, readUsage(answer))),
      usage.onMint(() => void queryClient.invalidateQueries({ queryKey: key })),
    ]
    return () => {
      platform.clearTimeout(timer)
      for (const undo of undos) undo()
    }
  }, [client, key, product, queryClient, usage])

  // The status of the query, and its error exactly if that is `error`, as the result says.
  return {
    status,
    error,
    ...numbersOf(data ?? {}, product, (name) => usage.used(name).usedMs),
  } as UseUsageResult
}

const productsOf = (product: Product | undefined): readonly Product[] =>
  product === undefined ? PRODUCT_NAMES : [product]

/** Of a product, or of all together, with what this page has used and not yet reported. */
function numbersOf(
  usage: TodaysUsage,
  product: Product | undefined,
  notReportedMs: (name: Product) => number,
): UsageNumbers {
  let [usedMs, reservedMs, limitMs]: [number, number, number | null] = [0, 0, 0]
  let resetsAt: Date | undefined
  for (const name of productsOf(product)) {
    const row = usage[name]
    if (!row) continue
    const movedMs = Math.min(Math.round(notReportedMs(name)), row.reserved_ms)
    usedMs += row.used_ms + movedMs
    reservedMs += row.reserved_ms - movedMs
    limitMs = limitMs === null || row.limit_ms === null ? null : limitMs + row.limit_ms
    resetsAt = new Date(row.resets_at)
  }
  if (!resetsAt) return { usedMs: undefined, reservedMs: undefined, limitMs: undefined, resetsAt }
  return { usedMs, reservedMs, limitMs, resetsAt }
}

'use client'

import type { Product, ProductUsage } from '@stagepass/contract'
import { PRODUCT_NAMES } from '@stagepass/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer } from 'react'
import { useClient } from '../client/useClient.js'
import type { VoiceError } from '../VoiceError.js'
import { usageMeterOf } from '../token/createUsageMeter.js'
import { readUsage, usageKey, usageOptionsOf } from './usageOptions.js'

/** What `useUsage` returns. The numbers are `undefined` until they are known, and if nothing is counted. */
export type UseUsageResult = UsageNumbers &
  (
    | { readonly status: 'pending' | 'success'; readonly error: null }
    | { readonly status: 'error'; readonly error: VoiceError }
  )

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

const TICK_MS = 1_000

/**
 * The minutes that the user has used of a product today, or of all products together. It asks the BFF once,
 * and again when a token is minted. It does not poll.
 *
 * @example const { usedMs, limitMs, resetsAt } = useUsage('stt')
 */
export function useUsage(product?: Product): UseUsageResult {
  const client = useClient()
  const queryClient = useQueryClient()
  const meter = usageMeterOf(client)
  const [, tick] = useReducer((count: number) => count + 1, 0)
  const query = useQuery({
    ...usageOptionsOf(client),
    enabled: client.user !== null,
    throwOnError: false,
  })
  const { data } = query
  const products = product === undefined ? PRODUCT_NAMES : [product]
  const names = products.join()

  useEffect(
    () =>
      meter.subscribe(() => {
        const change = meter.lastChange()
        if (change) queryClient.setQueryData(usageKey(client), readUsage(change))
        else void queryClient.invalidateQueries({ queryKey: usageKey(client) })
      }),
    [client, meter, queryClient],
  )

  useEffect(() => {
    const timer = setInterval(() => {
      if (names.split(',').some((name) => meter.isOpen(name as Product))) tick()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [meter, names])

  const rows = products.flatMap((name) => {
    const row = data?.[name]
    return row ? [withUsed(row, meter.usedMs(name))] : []
  })
  const sum = (of: (row: ProductUsage) => number): number | undefined =>
    rows.length === 0 ? undefined : rows.reduce((total, row) => total + of(row), 0)
  const hasNoLimit = rows.some(({ limit_ms }) => limit_ms === null)
  return {
    ...(query.status === 'error'
      ? { status: query.status, error: query.error }
      : { status: query.status, error: null }),
    usedMs: sum(({ used_ms }) => used_ms),
    reservedMs: sum(({ reserved_ms }) => reserved_ms),
    limitMs: hasNoLimit ? null : sum(({ limit_ms }) => limit_ms ?? 0),
    resetsAt: rows[0] && new Date(rows[0].resets_at),
  }
}

/** What this page has used of what is reserved, before it has reported it. */
function withUsed(row: ProductUsage, usedMs: number): ProductUsage {
  const moved = Math.min(usedMs, row.reserved_ms)
  return { ...row, used_ms: row.used_ms + moved, reserved_ms: row.reserved_ms - moved }
}

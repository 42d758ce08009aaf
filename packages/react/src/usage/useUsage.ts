'use client'

import type { Product } from '@stagepass/contract'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useReducer } from 'react'
import { useClient } from '../client/useClient.js'
import { queryDefaults } from '../request/queryDefaults.js'
import { useFoundQueryClient } from '../request/useFoundQueryClient.js'
import type { VoiceError } from '../VoiceError.js'
import { createUsageLoader } from './createUsageLoader.js'
import type { UsageNumbers } from './usageNumbers.js'

/** What `useUsage` returns. The numbers are `undefined` until they are known, and if nothing is counted. */
export type UseUsageResult = UsageNumbers &
  (
    | { readonly status: 'pending' | 'success'; readonly error: null }
    | { readonly status: 'error'; readonly error: VoiceError }
  )

const NO_NUMBERS: UsageNumbers = {
  usedMs: undefined,
  reservedMs: undefined,
  limitMs: undefined,
  resetsAt: undefined,
}

/**
 * The minutes that the user has used of a product today, or of all products together. It asks the BFF once,
 * and again when a token is minted. It does not poll.
 *
 * @example const { usedMs, limitMs, resetsAt } = useUsage('stt')
 */
export function useUsage(product?: Product): UseUsageResult {
  const client = useClient()
  const queryClient = useFoundQueryClient()
  const { key, load, present } = client.part(createUsageLoader)
  const [, render] = useReducer((count: number) => count + 1, 0)
  const { data, status, error } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await load()).get(signal),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    ...queryDefaults(client),
    throwOnError: false,
  })

  useEffect(() => {
    // The query waits for the same code, so nothing changes between its request and the first call.
    const watching = load().then(
      (usage) => usage.watch(queryClient, key, product, render),
      () => {},
    )
    return () => void watching.then((undo) => undo?.())
  }, [key, load, product, queryClient])

  // The status of the query, and its error exactly if that is `error`, as the result says.
  return { status, error, ...((data && present()?.numbers(data, product)) ?? NO_NUMBERS) } as UseUsageResult
}

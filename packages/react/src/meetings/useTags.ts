'use client'

import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClient } from '../client/useClient.js'
import { type QueryStatus, queryStatusOf } from '../request/QueryStatus.js'
import { useFoundQueryClient } from '../request/useFoundQueryClient.js'
import type { Tag } from './rows.js'
import { tagsOptionsOf } from './tagsOptions.js'

/** What `useTags` returns: a union on `status`. */
export type UseTagsResult = QueryStatus & {
  /** Empty while there is none. */
  readonly tags: readonly Tag[]
  /** Asks again now. Never rejects: a failure is the `error`. */
  readonly refetch: () => Promise<void>
}

const NONE: readonly Tag[] = []

/**
 * The tags that the filter `tags` of `useMeetings` takes the identifiers of.
 *
 * @example const { tags } = useTags()
 */
export function useTags({ enabled = true }: { readonly enabled?: boolean | undefined } = {}): UseTagsResult {
  const client = useClient()
  useFoundQueryClient()
  const query = useQuery({
    ...tagsOptionsOf(client),
    enabled: enabled && client.user !== null,
    throwOnError: false,
  })
  const { refetch } = query
  const refetchTags = useCallback(async () => void (await refetch()), [refetch])
  return { tags: query.data ?? NONE, refetch: refetchTags, ...queryStatusOf(query) }
}

'use client'

import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClient } from '../identity/useClient.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import { type QueryStatus, queryStatusOf } from '../query/QueryStatus.js'
import { unlessOffline } from '../query/unlessOffline.js'
import { useFoundQueryClient } from '../query/useFoundQueryClient.js'
import type { Tag } from './MeetingWith.js'
import { tagsOptionsOf } from './tagsOptions.js'

/** The result of `useTags`: a union on `status`. */
export type UseTagsResult = QueryStatus & {
  /** Empty until they are loaded. */
  readonly tags: readonly Tag[]
  /**
   * Requests the tags again now. Resolves when this has ended, or the browser is offline. Never rejects: a
   * failure is the `error`.
   */
  readonly refetch: () => Promise<void>
}

const NONE: readonly Tag[] = []

/**
 * The tags of the account. The filter `tags` of `useMeetings` takes their ids.
 *
 * @example const { tags } = useTags()
 */
export function useTags(options: { readonly enabled?: boolean | undefined } = {}): UseTagsResult {
  const { enabled = true } = options
  const client = useClient()
  if (process.env.NODE_ENV !== 'production')
    sayUnknown(client.said, 'useTags does not know the option', options, { enabled: true })
  useFoundQueryClient()
  const query = useQuery({
    ...tagsOptionsOf(client),
    enabled: enabled && client.user !== null,
    throwOnError: false,
  })
  const { refetch } = query
  const refetchTags = useCallback(async () => void (await unlessOffline(refetch())), [refetch])
  return { tags: query.data ?? NONE, refetch: refetchTags, ...queryStatusOf(query) }
}

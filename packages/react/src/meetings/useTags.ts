'use client'

import { useQuery } from '@tanstack/react-query'
import { useClient } from '../client/useClient.js'
import type { VoiceError } from '../VoiceError.js'
import { type Tags, tagsOptionsOf } from './tagsOptions.js'

/** What `useTags` returns. */
export interface UseTagsResult {
  /** Empty while there is none. Their form is unknown. (Assumptions: "Tags".) */
  readonly tags: Tags
  readonly status: 'pending' | 'success' | 'error'
  readonly error: VoiceError | null
}

const NONE: Tags = []

/**
 * The tags that the filter `tags` of `useMeetings` takes the identifiers of.
 *
 * @example const { tags } = useTags()
 */
export function useTags({ enabled = true }: { readonly enabled?: boolean | undefined } = {}): UseTagsResult {
  const client = useClient()
  const { data, status, error } = useQuery({
    ...tagsOptionsOf(client),
    enabled: enabled && client.user !== null,
    throwOnError: false,
  })
  return { tags: data ?? NONE, status, error }
}

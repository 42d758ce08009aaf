'use client'

import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { QueryKey } from '../client/queryKey.js'
import { useClient } from '../client/useClient.js'
import { type QueryStatus, queryStatusOf } from '../request/QueryStatus.js'
import { useFoundQueryClient } from '../request/useFoundQueryClient.js'
import type { VoiceError } from '../VoiceError.js'
import { headOptions } from './headOptions.js'
import type { MeetingFieldName, MeetingWith } from './meetingFields.js'
import { uniqueMeetings } from './mergeHead.js'
import { type MeetingsKeyPart, meetingsOptionsOf, type MeetingsPage } from './meetingsOptions.js'
import { type MeetingsFilters, meetingsParams } from './meetingsParams.js'
import { useDebouncedParams } from './useDebouncedParams.js'

/** Second argument of `useMeetings`. */
export interface UseMeetingsOptions {
  /** A search is sent when it has not changed for so long. Default 300; 0 sends every letter. */
  readonly debounceMs?: number | undefined
  /** With `false` nothing is asked for. Default `true`. */
  readonly enabled?: boolean | undefined
}

/** What `useMeetings` returns: a union on `status`, which is of the list, or of its last page asked for. */
export type UseMeetingsResult<TMeeting> = MeetingsResult<TMeeting> & QueryStatus

interface MeetingsResult<TMeeting> {
  /** Every loaded meeting, each once. Empty while there is none. */
  readonly meetings: readonly TMeeting[]
  /** How many there are in all, if the service says so. */
  readonly total: number | undefined
  /** True while what is shown belongs to the filters before these. */
  readonly isPlaceholderData: boolean
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  /** Loads the next page. Calls in a row are one call. Never rejects: a failure is the `error`. */
  readonly fetchNextPage: () => Promise<void>
  /**
   * Fetches the first page past the BFF's cache and merges it by id: one call, however many pages are loaded.
   * Never rejects.
   */
  readonly refresh: () => Promise<void>
  readonly isRefreshing: boolean
  /** Why the last `refresh` failed; the list is as it was. */
  readonly refreshError: VoiceError | null
  /** Fetches every loaded page again: one call for each. Never rejects. */
  readonly refetch: () => Promise<void>
}

interface Shown<TMeeting> {
  readonly meetings: readonly TMeeting[]
  readonly total: number | undefined
}

type Pages = InfiniteData<MeetingsPage<{ readonly id: string }>, string | null>

// One function for all renders, so that TanStack Query runs it once for each change of the data.
function shown({ pages }: Pages): Shown<{ readonly id: string }> {
  return { meetings: uniqueMeetings(pages), total: pages.at(-1)?.total }
}

/**
 * The meetings that the filters let through, page by page. A change of filters keeps the old list on screen
 * until the new one is there.
 *
 * @example
 * const { meetings, hasNextPage, fetchNextPage } = useMeetings({
 *   ownership: 'mine',
 *   fields: ['title', 'participants'],
 * })
 */
export function useMeetings<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
  filters: MeetingsFilters<TFields> = {},
  { debounceMs = 300, enabled = true }: UseMeetingsOptions = {},
): UseMeetingsResult<MeetingWith<TFields>> {
  const client = useClient()
  const queryClient = useFoundQueryClient()
  const { params, isDebouncing } = useDebouncedParams(meetingsParams(filters), debounceMs, client)
  const list = useInfiniteQuery({
    ...meetingsOptionsOf<{ readonly id: string }>(client, params),
    enabled: enabled && client.user !== null,
    select: shown,
    throwOnError: false,
    // Rows of another user are never shown. Rows without a field that is now asked for are not a list of the
    // new type.
    placeholderData(before: Pages | undefined, beforeQuery) {
      const beforeKey = beforeQuery?.queryKey as QueryKey<MeetingsKeyPart> | undefined
      const { identity, meetings } = beforeKey?.[1] ?? {}
      return identity === client.identity && meetings?.fields === params.fields ? before : undefined
    },
  })
  const head = useQuery({ ...headOptions(client, params, queryClient), throwOnError: false })
  const { refetch: refetchHead } = head
  const { fetchNextPage, refetch } = list
  // With TanStack Query's default, a second call would abort the first and ask again.
  const loadNextPage = useCallback(
    async () => void (await fetchNextPage({ cancelRefetch: false })),
    [fetchNextPage],
  )
  const refresh = useCallback(async () => void (await refetchHead({ cancelRefetch: false })), [refetchHead])
  const refetchAll = useCallback(async () => void (await refetch()), [refetch])

  return {
    // The rows hold the fields that were asked for, which is what the type says.
    meetings: (list.data?.meetings ?? NONE) as readonly MeetingWith<TFields>[],
    total: list.data?.total,
    isPlaceholderData: list.isPlaceholderData || isDebouncing,
    hasNextPage: list.hasNextPage,
    isFetchingNextPage: list.isFetchingNextPage,
    fetchNextPage: loadNextPage,
    refresh,
    isRefreshing: head.isFetching,
    refreshError: head.error,
    refetch: refetchAll,
    ...queryStatusOf(list),
  }
}

const NONE: readonly never[] = []

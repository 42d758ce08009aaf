'use client'

import { meetingsParams } from '@stagepass/contract'
import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import type { QueryKey } from '../query/queryKey.js'
import { useClient } from '../identity/useClient.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import { isFromBefore } from '../query/isFromBefore.js'
import { type QueryStatus, queryStatusOf } from '../query/QueryStatus.js'
import { unlessOffline } from '../query/unlessOffline.js'
import { useFoundQueryClient } from '../query/useFoundQueryClient.js'
import type { VoiceError } from '../errors/VoiceError.js'
import { isDeadCursor } from './deadCursor.js'
import { headOptions } from './headOptions.js'
import type { MeetingFieldName, MeetingWith } from './MeetingWith.js'
import { uniqueMeetings } from './mergeHead.js'
import { type MeetingsKeyPart, meetingsOptionsOf, type MeetingsPage } from './meetingsOptions.js'
import { type MeetingsFilters, sayUnknownFilters } from './MeetingsFilters.js'
import { useDebouncedParams } from './useDebouncedParams.js'

/** Options of `useMeetings`. */
export interface UseMeetingsOptions {
  /** A search is sent when it has not changed for this time. Default 300; 0 sends every letter. */
  readonly debounceMs?: number | undefined
  /** False: nothing is requested. Default true. */
  readonly enabled?: boolean | undefined
}

/**
 * The result of `useMeetings`: a union on `status`. The status is that of the list, or of the page that was
 * requested last. `isPaused` is also true while a `refresh` waits for the network.
 *
 * `fetchNextPage`, `refresh` and `refetch` resolve when they have ended, or when the browser is offline. The
 * request then continues by itself when the network is back.
 */
export type UseMeetingsResult<TMeeting> = MeetingsResult<TMeeting> & QueryStatus

interface MeetingsResult<TMeeting> {
  /** All loaded meetings, without duplicates. Empty until they are loaded. */
  readonly meetings: readonly TMeeting[]
  /** Number of all meetings, if the service sends it. */
  readonly total: number | undefined
  /** True while `meetings` are those of the previous filters. */
  readonly isPlaceholderData: boolean
  readonly hasNextPage: boolean
  readonly isFetchingNextPage: boolean
  /** True if the next page failed. `error` says why, and the list stays. */
  readonly isFetchNextPageError: boolean
  /** True if the loaded pages could not be fetched again. `error` says why, and the list stays. */
  readonly isRefetchError: boolean
  /**
   * Loads the next page. Further calls while it loads do nothing. If the service no longer knows where the
   * page begins, every loaded page is fetched again, once, and then the next one. Never rejects: a failure is
   * the `error`.
   */
  readonly fetchNextPage: () => Promise<void>
  /**
   * Fetches the first page again, without the BFF's cache, and merges it by id. This costs one call,
   * regardless of the number of loaded pages. If the service has refused the cursor of the next page, every
   * loaded page is fetched again instead. Never rejects.
   */
  readonly refresh: () => Promise<void>
  readonly isRefreshing: boolean
  /** Why the last `refresh` failed; the list is unchanged. */
  readonly refreshError: VoiceError | null
  /** Fetches every loaded page again, with one call for each. Never rejects. */
  readonly refetch: () => Promise<void>
}

interface ListData<TMeeting> {
  readonly meetings: readonly TMeeting[]
  readonly total: number | undefined
}

type Pages = InfiniteData<MeetingsPage<{ readonly id: string }>, string | null>

// One function for all renders, so that TanStack Query runs it once for each change of the data.
function selectList({ pages }: Pages): ListData<{ readonly id: string }> {
  return { meetings: uniqueMeetings(pages), total: pages.at(-1)?.total }
}

/**
 * The meetings that match the filters, page by page. After a change of filters the old list stays until the
 * new one is loaded. A list that was loaded before this page began, and was kept on disk, is refreshed once.
 *
 * @example
 * const { meetings, hasNextPage, fetchNextPage } = useMeetings({
 *   ownership: 'mine',
 *   fields: ['title', 'participants'],
 * })
 */
export function useMeetings<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
  filters: MeetingsFilters<TFields> = {},
  options: UseMeetingsOptions = {},
): UseMeetingsResult<MeetingWith<TFields>> {
  const { debounceMs = 300, enabled = true } = options
  const client = useClient()
  if (process.env.NODE_ENV !== 'production') {
    sayUnknownFilters(client, 'useMeetings', filters)
    sayUnknown(client.said, 'useMeetings does not know the option', options, {
      debounceMs: true,
      enabled: true,
    })
  }
  const queryClient = useFoundQueryClient()
  const { params, isDebouncing } = useDebouncedParams(meetingsParams(filters), debounceMs, client)
  const list = useInfiniteQuery({
    ...meetingsOptionsOf<{ readonly id: string }>(client, params),
    enabled: enabled && client.user !== null,
    select: selectList,
    throwOnError: false,
    // One call refreshes a list of the disk, below. A refetch would cost one for each page.
    refetchOnMount: false,
    // Rows of another user are never shown. Neither are rows with other fields, because they do not match the
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
  // With TanStack Query's default, a second call would abort the first request and send it again.
  const [isReloading, setIsReloading] = useState(false)
  const loadNextPage = useCallback(async () => {
    const next = await unlessOffline(fetchNextPage({ cancelRefetch: false }))
    if (!isDeadCursor(next?.error)) return
    setIsReloading(true)
    const reloaded = await unlessOffline(refetch({ cancelRefetch: false }))
    // This requests nothing if the list now ends here.
    if (reloaded?.isSuccess) await unlessOffline(fetchNextPage({ cancelRefetch: false }))
    setIsReloading(false)
  }, [fetchNextPage, refetch])
  const refresh = useCallback(
    async () => void (await unlessOffline(refetchHead({ cancelRefetch: false }))),
    [refetchHead],
  )
  const isDue = enabled && list.isSuccess && !list.isFetching && isFromBefore(client, list.dataUpdatedAt)
  const dueSince = isDue ? list.dataUpdatedAt : 0
  useEffect(() => {
    if (dueSince > 0) void refresh()
  }, [dueSince, refresh])
  const refetchAll = useCallback(async () => void (await unlessOffline(refetch())), [refetch])
  const { data, status, error, failureReason, dataUpdatedAt } = list
  // The list is being loaded again, and its rows are still there.
  const isKept = isReloading && data !== undefined
  const fetchStatus = list.fetchStatus === 'idle' && head.isPaused ? 'paused' : list.fetchStatus

  return {
    // The cast is safe: the rows have the requested fields.
    meetings: (data?.meetings ?? NONE) as readonly MeetingWith<TFields>[],
    total: data?.total,
    isPlaceholderData: list.isPlaceholderData || isDebouncing,
    hasNextPage: list.hasNextPage,
    isFetchingNextPage: list.isFetchingNextPage,
    isFetchNextPageError: list.isFetchNextPageError,
    isRefetchError: list.isRefetchError && !isKept,
    fetchNextPage: loadNextPage,
    refresh,
    isRefreshing: head.isFetching,
    refreshError: head.error,
    refetch: refetchAll,
    ...queryStatusOf(
      isKept
        ? { status: 'success', error: null, fetchStatus: 'fetching', failureReason: null, dataUpdatedAt }
        : { status, error, fetchStatus, failureReason, dataUpdatedAt },
    ),
  }
}

const NONE: readonly never[] = []

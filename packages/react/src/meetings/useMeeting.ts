'use client'

import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClient } from '../identity/useClient.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import { type QueryStatus, queryStatusOf } from '../query/QueryStatus.js'
import { unlessOffline } from '../query/unlessOffline.js'
import { useFoundQueryClient } from '../query/useFoundQueryClient.js'
import type { FieldList, MeetingFieldName, MeetingWith } from './MeetingWith.js'
import { meetingOptionsOf } from './meetingOptions.js'
import { rowOf } from './rowOf.js'

/** Options of `useMeeting`. */
export interface UseMeetingOptions<TFields extends readonly MeetingFieldName[] | undefined = undefined> {
  /**
   * Fields of the meeting. Its type has only these. Default: all except `participants`. (Contract:
   * "Meeting".)
   */
  readonly fields?: TFields
  /** False: nothing is requested. Default true. */
  readonly enabled?: boolean | undefined
}

/**
 * The result of `useMeeting`: a union on `status`. While the meeting is processed, the status is `pending`,
 * with the code MEETING_PROCESSING in `failureReason`; the hook polls until it is `success`.
 */
export type UseMeetingResult<TMeeting> = {
  /** True while `meeting` is the row of a loaded list, until the meeting itself is loaded. */
  readonly isPlaceholderData: boolean
  /**
   * Requests the meeting again now. Resolves when this has ended, or the browser is offline. Never rejects: a
   * failure is the `error`.
   */
  readonly refetch: () => Promise<void>
} & (
  | (QueryStatus & { readonly status: 'success'; readonly meeting: TMeeting })
  | (QueryStatus & { readonly status: 'pending'; readonly meeting: undefined })
  // A meeting that was loaded before is kept.
  | (QueryStatus & { readonly status: 'error'; readonly meeting: TMeeting | undefined })
)

/**
 * One meeting by its id. If a loaded list has it with all these fields, it begins with that row. If the id is
 * `undefined`, nothing is requested, for a detail view without a selection.
 *
 * @example const { meeting, status, error } = useMeeting(id, { fields: ['title', 'participants'] })
 */
export function useMeeting<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
  id: string | undefined,
  options: UseMeetingOptions<TFields> = {},
): UseMeetingResult<MeetingWith<TFields>> {
  const { fields, enabled = true } = options
  const client = useClient()
  if (process.env.NODE_ENV !== 'production')
    sayUnknown(client.said, 'useMeeting does not know the option', options, { fields: true, enabled: true })
  const queryClient = useFoundQueryClient()
  const query = useQuery({
    ...meetingOptionsOf<FieldList>(client, id ?? '', fields),
    placeholderData: () => (id === undefined ? undefined : rowOf(queryClient, client, id, fields)),
    enabled: enabled && id !== undefined && client.user !== null,
    throwOnError: false,
  })
  const { data, isPlaceholderData, refetch } = query
  const refetchOne = useCallback(async () => void (await unlessOffline(refetch())), [refetch])

  // The cast is safe: a query has data if its status is `success`, and none if it is pending.
  return {
    meeting: data,
    isPlaceholderData,
    refetch: refetchOne,
    ...queryStatusOf(query),
  } as UseMeetingResult<MeetingWith<TFields>>
}

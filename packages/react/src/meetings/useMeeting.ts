'use client'

import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useClient } from '../client/useClient.js'
import { type QueryStatus, queryStatusOf } from '../request/QueryStatus.js'
import { useFoundQueryClient } from '../request/useFoundQueryClient.js'
import type { MeetingFieldName, MeetingWith } from './meetingFields.js'
import { meetingOptionsOf } from './meetingOptions.js'

/** Second argument of `useMeeting`. */
export interface UseMeetingOptions<TFields extends readonly MeetingFieldName[] | undefined = undefined> {
  /**
   * Fields of the meeting, which are also what is on its type. Default: all but `participants`. (Contract:
   * "Meeting".)
   */
  readonly fields?: TFields
  /** With `false` nothing is asked for. Default `true`. */
  readonly enabled?: boolean | undefined
}

/**
 * What `useMeeting` returns: a union on `status`. While the meeting is processed it is `pending`, with the
 * code MEETING_PROCESSING in `failureReason`; it is polled by itself and becomes `success`.
 */
export type UseMeetingResult<TMeeting> = {
  /** Asks again now. Never rejects: a failure is the `error`. */
  readonly refetch: () => Promise<void>
} & (
  | (QueryStatus & { readonly status: 'success'; readonly meeting: TMeeting })
  | (QueryStatus & { readonly status: 'pending'; readonly meeting: undefined })
  // A meeting that was loaded before stays.
  | (QueryStatus & { readonly status: 'error'; readonly meeting: TMeeting | undefined })
)

/**
 * One meeting by its id. With `undefined` as id it requests nothing, for a detail view without a selection.
 *
 * @example const { meeting, status, error } = useMeeting(id, { fields: ['title', 'participants'] })
 */
export function useMeeting<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
  id: string | undefined,
  { fields, enabled = true }: UseMeetingOptions<TFields> = {},
): UseMeetingResult<MeetingWith<TFields>> {
  const client = useClient()
  useFoundQueryClient()
  const query = useQuery({
    ...meetingOptionsOf(client, id ?? '', fields),
    enabled: enabled && id !== undefined && client.user !== null,
    throwOnError: false,
  })
  const { data, refetch } = query
  const refetchOne = useCallback(async () => void (await refetch()), [refetch])

  // A query with the status `success` has its data, and one that is pending has none.
  return { meeting: data, refetch: refetchOne, ...queryStatusOf(query) } as UseMeetingResult<
    MeetingWith<TFields>
  >
}

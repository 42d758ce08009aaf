'use client'

import { useQuery } from '@tanstack/react-query'
import { useClient } from '../client/useClient.js'
import { isVoiceError, type VoiceError } from '../VoiceError.js'
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

/** What `useMeeting` returns. */
export interface UseMeetingResult<TMeeting> {
  readonly meeting: TMeeting | undefined
  /**
   * `error` with the code MEETING_PROCESSING while the meeting is processed: it is polled by itself and
   * becomes `success`.
   */
  readonly status: 'pending' | 'success' | 'error'
  readonly error: VoiceError | null
  readonly isFetching: boolean
  /** Asks again now. Never rejects: a failure is the `error`. */
  readonly refetch: () => Promise<void>
}

/**
 * One meeting by its id. With `undefined` as id it requests nothing, for a detail view without a selection.
 *
 * @example const { meeting, error } = useMeeting(id, { fields: ['title', 'participants'] })
 */
export function useMeeting<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
  id: string | undefined,
  { fields, enabled = true }: UseMeetingOptions<TFields> = {},
): UseMeetingResult<MeetingWith<TFields>> {
  const client = useClient()
  const query = useQuery({
    ...meetingOptionsOf(client, id ?? '', fields),
    enabled: enabled && id !== undefined && client.user !== null,
    throwOnError: false,
  })
  const { failureReason, refetch } = query
  // Between two polls the query is pending; to a person it is a meeting that is not ready, all the time.
  const processing =
    query.data === undefined && isVoiceError(failureReason, 'MEETING_PROCESSING') ? failureReason : undefined

  return {
    meeting: query.data,
    status: processing ? 'error' : query.status,
    error: processing ?? query.error,
    isFetching: query.isFetching,
    refetch: async () => void (await refetch()),
  }
}

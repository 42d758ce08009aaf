import type { DataTag, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { queryDefaults } from '../request/queryDefaults.js'
import type { Client } from '../client/Client.js'
import { queryKey } from '../client/queryKey.js'
import { clientForOptionsOf, type VoiceClient } from '../createVoiceClient.js'
import { isVoiceError, VoiceError } from '../VoiceError.js'
import { type FieldList, listParam, type MeetingFieldName, type MeetingWith } from './meetingFields.js'

/** Options for TanStack Query: `useQuery`, `useSuspenseQuery`, `prefetchQuery`, loaders, cache writes. */
export type MeetingOptions<TMeeting> = UnusedSkipTokenOptions<TMeeting, VoiceError> & {
  queryKey: DataTag<readonly unknown[], TMeeting, VoiceError>
}

/**
 * How often a meeting that is still processed is asked for: several minutes with the BFF's Retry-After. Then
 * the error is final until `refetch`.
 */
const MOST_POLLS = 60

/** Between two polls, if the server gave no time. */
const POLL_MS = 5_000

/**
 * One meeting. One that is still processing is polled at the server's pace; meanwhile the query is pending
 * and `failureReason` says so.
 */
export function meetingOptionsOf<TFields extends FieldList>(
  client: Client,
  id: string,
  fields: TFields | undefined,
): MeetingOptions<MeetingWith<TFields>> {
  const names = listParam(fields)
  const policy = queryDefaults(client)
  return {
    // The tag that ties data and error to the key exists in types alone.
    queryKey: queryKey(client, { meeting: { id, fields: names } }) as MeetingOptions<
      MeetingWith<TFields>
    >['queryKey'],
    async queryFn({ signal }) {
      // A dot segment would be resolved away, escaped or not, and the request would go to another route.
      if (/^\.{0,2}$/.test(id))
        throw new VoiceError('VALIDATION_ERROR', {
          message: 'The request is not valid.',
          field: 'id',
          docsUrl: client.docsUrl,
        })
      const meeting = await client.request({
        route: '/meetings/:id',
        path: `/meetings/${encodeURIComponent(id)}${names ? `?${new URLSearchParams({ fields: names })}` : ''}`,
        signal,
      })
      if (typeof meeting.id !== 'string')
        throw new VoiceError('MALFORMED_RESPONSE', { docsUrl: client.docsUrl })
      // The BFF has rebuilt it from known fields; which of them are there is what was asked for.
      return meeting as MeetingWith<TFields>
    },
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    ...policy,
    retry: (failures, error) =>
      isVoiceError(error, 'MEETING_PROCESSING') ? failures < MOST_POLLS : policy.retry(failures, error),
    retryDelay: (failures, error) =>
      isVoiceError(error, 'MEETING_PROCESSING')
        ? (error.retryAfterMs ?? POLL_MS)
        : policy.retryDelay(failures, error),
  }
}

/**
 * One meeting. While it is processed the query is pending, with `failureReason`, and polls at the server's
 * pace.
 *
 * @example
 * const { title } = await queryClient.ensureQueryData(meetingOptions(voice, id, { fields: ['title'] }))
 */
export function meetingOptions<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
  voice: VoiceClient,
  id: string,
  { fields }: { readonly fields?: TFields } = {},
): MeetingOptions<MeetingWith<TFields>> {
  return meetingOptionsOf(clientForOptionsOf(voice), id, fields)
}

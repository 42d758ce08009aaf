import { encodeText, listParam } from '@stagepass/contract'
import type { DataTag, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { queryDefaults } from '../query/queryDefaults.js'
import type { Client } from '../identity/Client.js'
import { queryKey } from '../query/queryKey.js'
import { clientForOptionsOf, type VoiceClient } from '../client/createVoiceClient.js'
import { isVoiceError, VoiceError } from '../errors/VoiceError.js'
import type { FieldList, MeetingFieldName, MeetingWith } from './MeetingWith.js'

/** Options for TanStack Query: `useQuery`, `useSuspenseQuery`, `prefetchQuery`, loaders, cache writes. */
export type MeetingOptions<TMeeting> = UnusedSkipTokenOptions<TMeeting, VoiceError> & {
  queryKey: DataTag<readonly unknown[], TMeeting, VoiceError>
}

/**
 * How many times a meeting that is still processed is requested: several minutes with the BFF's Retry-After.
 * After that only `refetch` tries again.
 */
const MOST_POLLS = 60

/** Time between two polls, if the server sent no Retry-After. */
const POLL_MS = 5_000

/**
 * Query options of one meeting. While the meeting is processed, the query is pending with `failureReason`,
 * and polls at the server's pace.
 */
export function meetingOptionsOf<TFields extends FieldList>(
  client: Client,
  id: string,
  fields: TFields | undefined,
): MeetingOptions<MeetingWith<TFields>> {
  const names = listParam(fields)
  const policy = queryDefaults(client)
  return {
    ...policy,
    // The tag that connects data and error with the key exists only in types.
    queryKey: queryKey(client, { meeting: { id, fields: names } }) as MeetingOptions<
      MeetingWith<TFields>
    >['queryKey'],
    async queryFn({ signal }) {
      // URLs drop dot segments, escaped or not, so the request would go to another route.
      if (/^\.{0,2}$/.test(id))
        throw new VoiceError('VALIDATION_ERROR', { message: 'The request is not valid.', field: 'id' })
      return client.request({
        route: '/meetings/:id',
        path: `/meetings/${encodeText(id)}${names ? `?fields=${encodeText(names)}` : ''}`,
        signal,
        // The cast is safe: the BFF builds the meeting from known fields, and returns only the requested ones.
        read: (body) => (typeof body.id === 'string' ? (body as MeetingWith<TFields>) : undefined),
      })
    },
    staleTime: 60_000,
    retry: (failures, error) =>
      isVoiceError(error, 'MEETING_PROCESSING') ? failures < MOST_POLLS : policy.retry(failures, error),
    retryDelay: (failures, error) =>
      isVoiceError(error, 'MEETING_PROCESSING')
        ? (error.retryAfterMs ?? POLL_MS)
        : policy.retryDelay(failures, error),
  }
}

/**
 * Query options of one meeting. While the meeting is processed, the query is pending with `failureReason`,
 * and polls at the server's pace.
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

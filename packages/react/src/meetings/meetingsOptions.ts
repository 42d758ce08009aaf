import { encodeText, meetingsParams, type MeetingsParams } from '@stagepass/contract'
import type { DataTag, InfiniteData, UnusedSkipTokenInfiniteOptions } from '@tanstack/react-query'
import { isFromBefore } from '../query/isFromBefore.js'
import { queryDefaults } from '../query/queryDefaults.js'
import type { Client } from '../identity/Client.js'
import { queryKey } from '../query/queryKey.js'
import { clientForOptionsOf, type VoiceClient } from '../client/createVoiceClient.js'
import type { VoiceError } from '../errors/VoiceError.js'
import { deadCursorError, isDeadCursor } from './deadCursor.js'
import type { MeetingFieldName, MeetingWith } from './MeetingWith.js'
import { type MeetingsFilters, sayUnknownFilters } from './MeetingsFilters.js'

/** One page of the list, as the BFF sends it. */
export interface MeetingsPage<TMeeting> {
  readonly meetings: readonly TMeeting[]
  /** Null at the end. */
  readonly next_cursor: string | null
  /** Number of all meetings, if the service sends it. */
  readonly total?: number | undefined
}

type Cursor = string | null
type Pages<TMeeting> = InfiniteData<MeetingsPage<TMeeting>, Cursor>

/**
 * Options for TanStack Query: `useInfiniteQuery`, `useSuspenseInfiniteQuery`, `prefetchInfiniteQuery`,
 * loaders, cache writes.
 */
export type MeetingsOptions<TMeeting> = UnusedSkipTokenInfiniteOptions<
  MeetingsPage<TMeeting>,
  VoiceError,
  Pages<TMeeting>,
  readonly unknown[],
  Cursor
> & { queryKey: DataTag<readonly unknown[], Pages<TMeeting>, VoiceError> }

/** The key of a list. The refresh of its first page has a separate key, in `headOptions`. */
export interface MeetingsKeyPart {
  readonly meetings: MeetingsParams
}

export const meetingsKey = (client: Client, meetings: MeetingsParams): readonly unknown[] =>
  queryKey(client, { meetings } satisfies MeetingsKeyPart)

/** Fetches one page. `noCache` bypasses the BFF's cache. */
export async function fetchMeetingsPage<TMeeting>(
  client: Client,
  params: MeetingsParams,
  { cursor, signal, noCache }: { cursor: Cursor; signal: AbortSignal; noCache?: boolean },
): Promise<MeetingsPage<TMeeting>> {
  // Not by URLSearchParams: that of React Native throws if a text has half of an emoji.
  const search = Object.entries(cursor ? { ...params, cursor } : params)
    .map(([name, value]) => `${name}=${encodeText(value)}`)
    .join('&')
  return client
    .request({
      route: '/meetings',
      path: `/meetings${search && `?${search}`}`,
      noCache,
      signal,
      read: readPage<TMeeting>,
    })
    .catch((error: unknown) => {
      throw cursor && isDeadCursor(error) ? deadCursorError(error) : error
    })
}

function readPage<TMeeting>({
  meetings,
  next_cursor,
  total,
}: Readonly<Record<string, unknown>>): MeetingsPage<TMeeting> | undefined {
  if (!Array.isArray(meetings)) return undefined
  return {
    // The cast is safe: the BFF builds each meeting from known fields, and returns only the requested ones.
    meetings: meetings as TMeeting[],
    next_cursor: typeof next_cursor === 'string' && next_cursor !== '' ? next_cursor : null,
    ...(typeof total === 'number' && { total }),
  }
}

/**
 * Query options of a list. An account has five calls a second for all its users, and a refetch costs one call
 * for each loaded page. So a list with rows is never refetched automatically: not at mount, not at focus, not
 * at reconnect. Use `refresh` of `useMeetings`, or invalidate the query to refetch all pages. If a page fails
 * with the `field` `cursor`, its cursor is no longer valid: call `refetch`, which asks for all cursors again.
 * Only a list that was loaded before this page began, and was kept on disk, is refetched at mount.
 */
export function meetingsOptionsOf<TMeeting>(
  client: Client,
  params: MeetingsParams,
): MeetingsOptions<TMeeting> {
  const isFromDisk = ({ state }: { readonly state: { readonly dataUpdatedAt: number } }): boolean =>
    isFromBefore(client, state.dataUpdatedAt)
  return {
    ...queryDefaults(client),
    // The tag that connects data and error with the key exists only in types.
    queryKey: meetingsKey(client, params) as MeetingsOptions<TMeeting>['queryKey'],
    queryFn: ({ pageParam, signal }) => fetchMeetingsPage(client, params, { cursor: pageParam, signal }),
    initialPageParam: null,
    // Cursors that lead in a circle would cause an endless loop.
    getNextPageParam: ({ next_cursor }, _pages, _cursor, used) =>
      used.includes(next_cursor) ? null : next_cursor,
    staleTime: (query) => (isFromDisk(query) ? 0 : Infinity),
    refetchOnMount: isFromDisk,
  }
}

/**
 * Query options of the list, for `useInfiniteQuery`. In components pass the client of `useVoiceClient()`: the
 * client of your module throws in a render for another user.
 *
 * @example await queryClient.prefetchInfiniteQuery(meetingsOptions(voice, { ownership: 'mine' }))
 */
export function meetingsOptions<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
  voice: VoiceClient,
  filters: MeetingsFilters<TFields> = {},
): MeetingsOptions<MeetingWith<TFields>> {
  const client = clientForOptionsOf(voice)
  if (process.env.NODE_ENV !== 'production') sayUnknownFilters(client, 'meetingsOptions', filters)
  return meetingsOptionsOf(client, meetingsParams(filters))
}

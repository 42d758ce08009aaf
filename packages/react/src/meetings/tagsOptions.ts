import type { DataTag, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { queryDefaults } from '../query/queryDefaults.js'
import type { Client } from '../identity/Client.js'
import { queryKey } from '../query/queryKey.js'
import { clientForOptionsOf, type VoiceClient } from '../client/createVoiceClient.js'
import type { VoiceError } from '../errors/VoiceError.js'
import type { Tag } from './MeetingWith.js'

/** Options for TanStack Query: `useQuery`, `useSuspenseQuery`, `prefetchQuery`, loaders, cache writes. */
export type TagsOptions = UnusedSkipTokenOptions<readonly Tag[], VoiceError> & {
  queryKey: DataTag<readonly unknown[], readonly Tag[], VoiceError>
}

/**
 * Query options of the account's tags. They are fresh for five minutes, because they share the meetings'
 * budget of five calls a second.
 */
export function tagsOptionsOf(client: Client): TagsOptions {
  return {
    ...queryDefaults(client),
    // The tag that connects data and error with the key exists only in types.
    queryKey: queryKey(client, { tags: 'all' }) as TagsOptions['queryKey'],
    queryFn: ({ signal }) =>
      client.request({
        route: '/tags',
        signal,
        // The cast: the BFF gives each tag an id and a name.
        read: ({ tags }) => (Array.isArray(tags) ? (tags as readonly Tag[]) : undefined),
      }),
    staleTime: 5 * 60_000,
  }
}

/** Query options of the account's tags. */
export function tagsOptions(voice: VoiceClient): TagsOptions {
  return tagsOptionsOf(clientForOptionsOf(voice))
}

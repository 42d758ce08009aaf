import type { InfiniteData, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { retryPolicy } from '../request/retryPolicy.js'
import type { Client } from '../client/Client.js'
import type { VoiceError } from '../VoiceError.js'
import { mergeHead } from './mergeHead.js'
import { fetchMeetingsPage, meetingsKeys, type MeetingsPage } from './meetingsOptions.js'
import type { MeetingsParams } from './meetingsParams.js'

/** Whatever else was asked for. */
type Row = { readonly id: string }

/** The refresh of a list's first page: one call for all who want it at once, merged into the list's own pages. Runs when asked to. */
export function headOptions(
  client: Client,
  params: MeetingsParams,
): UnusedSkipTokenOptions<null, VoiceError> {
  const listKey = meetingsKeys.list(client.url, params)
  return {
    queryKey: meetingsKeys.head(client.url, params),
    enabled: false,
    gcTime: 0,
    ...retryPolicy(client),
    async queryFn({ client: queryClient, signal }) {
      const head = await fetchMeetingsPage<Row>(client, params, { cursor: null, signal, noCache: true })
      const list = queryClient.getQueryCache().find({ queryKey: listKey })
      // A page on its way was asked for on top of the old pages and would overwrite the merge when it lands.
      if (list?.state.fetchStatus === 'fetching') await list.promise?.catch(() => {})
      queryClient.setQueryData<InfiniteData<MeetingsPage<Row>, string | null>>(listKey, (old) =>
        mergeHead(old, head, params.sort_by === 'last_modified'),
      )
      return null
    },
  }
}

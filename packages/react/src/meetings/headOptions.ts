import type { MeetingsParams } from '@stagepass/contract'
import type { InfiniteData, QueryClient, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { queryDefaults } from '../query/queryDefaults.js'
import { throwIfAborted } from '../events/throwIfAborted.js'
import type { Client } from '../identity/Client.js'
import { queryKey } from '../query/queryKey.js'
import type { VoiceError } from '../errors/VoiceError.js'
import { isDeadCursor } from './deadCursor.js'
import { mergeHead } from './mergeHead.js'
import { fetchMeetingsPage, meetingsKey, type MeetingsPage } from './meetingsOptions.js'

/** The other fields do not matter here. */
type Row = { readonly id: string }

/**
 * The refresh of a list's first page, merged into the list's own pages. If the cursor of the next page was
 * refused, no merge helps: all pages are loaded again. Components that refresh at the same time share one
 * call. Runs only by `refetch`. The query client is a parameter, because TanStack Query passes it to a query
 * only since 5.66.
 */
export function headOptions(
  client: Client,
  params: MeetingsParams,
  queryClient: QueryClient,
): UnusedSkipTokenOptions<null, VoiceError> {
  const listKey = meetingsKey(client, params)
  return {
    queryKey: queryKey(client, { meetingsHead: params }),
    ...queryDefaults(client),
    enabled: false,
    gcTime: 0,
    async queryFn({ signal }) {
      const listQuery = () => queryClient.getQueryCache().find({ queryKey: listKey })
      if (isDeadCursor(listQuery()?.state.error)) {
        // A failure is the error of the list.
        await listQuery()
          ?.fetch()
          .catch(() => {})
        return null
      }
      const head = await fetchMeetingsPage<Row>(client, params, { cursor: null, signal, noCache: true })
      // Wait for a page that is loading: it was requested for the old pages, and would overwrite the merge.
      const list = listQuery()
      if (list?.state.fetchStatus === 'fetching') await list.promise?.catch(() => {})
      // The user may have changed meanwhile, or the application has cleared the cache.
      throwIfAborted(signal)
      throwIfAborted(client.signal)
      queryClient.setQueryData<InfiniteData<MeetingsPage<Row>, string | null>>(listKey, (old) =>
        mergeHead(old, head, params.sort_by === 'last_modified'),
      )
      return null
    },
  }
}

import type { QueryClient } from '@tanstack/react-query'
import type { Client } from '../identity/Client.js'
import type { QueryKey } from './queryKey.js'

/*
 * An application may keep the query cache on disk (`persistQueryClient`). A page then starts with the queries
 * of the pages before it, whoever used them.
 */

/** Removes what a user has left in the cache. A query in use belongs to another client, with its own user. */
function forgetOthers(queryClient: QueryClient, { url, identity }: Client): void {
  queryClient.removeQueries({
    queryKey: ['stagepass', { url }],
    predicate(query) {
      const [, of] = query.queryKey as QueryKey<object>
      const isOwn = of.identity.user === identity.user && of.identity.generation === identity.generation
      return !isOwn && query.state.data !== undefined && query.getObserversCount() === 0
    },
  })
}

/**
 * Removes restored queries of other users once this client has a user. Returns a function that stops this.
 */
export function watchRestored(queryClient: QueryClient, client: Client): () => void {
  const { platform, user } = client
  if (typeof user !== 'string') return () => {}
  const forget = (): void => forgetOthers(queryClient, client)
  let timer = platform.setTimeout(forget, 0)
  const unsubscribe = queryClient.getQueryCache().subscribe((event) => {
    const isRestored =
      event.type === 'added'
        ? event.query.state.data !== undefined
        : event.type === 'updated' && event.action.type === 'setState'
    if (!isRestored || event.query.queryKey[0] !== 'stagepass') return
    // Later, because the copy on disk follows the cache only after it was restored.
    platform.clearTimeout(timer)
    timer = platform.setTimeout(forget, 0)
  })
  return () => {
    unsubscribe()
    platform.clearTimeout(timer)
  }
}

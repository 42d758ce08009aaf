import type { QueryClient } from '@tanstack/react-query'

/**
 * Resolves with the result of a fetch, or with `undefined` if it fails, or as soon as its query is paused:
 * until the network is back, TanStack Query keeps the promise of a paused fetch pending. The fetch then
 * continues by itself. Never rejects.
 */
export async function orPaused<TResult>(
  queryClient: QueryClient,
  queryKey: readonly unknown[],
  fetching: Promise<TResult> | undefined,
): Promise<TResult | undefined> {
  const cache = queryClient.getQueryCache()
  const query = cache.find({ queryKey })
  let unsubscribe = (): void => {}
  const paused = new Promise<undefined>((resolve) => {
    const check = (): void => {
      if (query?.state.fetchStatus === 'paused') resolve(undefined)
    }
    unsubscribe = cache.subscribe(check)
    check()
  })
  const result = await Promise.race([paused, fetching]).catch(() => undefined)
  unsubscribe()
  return result
}

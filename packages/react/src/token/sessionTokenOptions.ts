import type { Product } from '@stagepass/contract'
import type { DataTag, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { queryDefaults } from '../request/queryDefaults.js'
import type { Client } from '../client/Client.js'
import { queryKey } from '../client/queryKey.js'
import type { VoiceError } from '../VoiceError.js'
import { loadTokens } from './loadTokens.js'
import type { CachedToken } from './tokensOnDemand.js'
import type { TokenOptions } from './TokenSource.js'

/** Options for TanStack Query: `useQuery`, `useSuspenseQuery`, `prefetchQuery`, loaders. */
export type SessionTokenOptions = UnusedSkipTokenOptions<CachedToken, VoiceError> & {
  queryKey: DataTag<readonly unknown[], CachedToken, VoiceError>
}

/** Between two checks of a token whose renewal is due and fails. */
const SHORTEST_LOOK_MS = 5_000

/**
 * The token of a source in the query cache: to fetch it before it is needed, and to suspend on it. It is the
 * token that `useSessionToken` and the streams use, and costs no second request.
 */
export function sessionTokenOptionsOf(
  client: Client,
  product: Product,
  { ttlMinutes }: TokenOptions,
): SessionTokenOptions {
  // Data that was dehydrated somewhere else has no methods, and is stale.
  const untilRenewalMs = (data: Partial<CachedToken> | undefined): number =>
    (data?.renewAt?.() ?? 0) - client.platform.now()
  return {
    // The tag that ties data and error to the key exists in types alone.
    queryKey: queryKey(client, { sessionToken: { product, ttlMinutes } }) as SessionTokenOptions['queryKey'],
    async queryFn({ signal }) {
      const tokens = await loadTokens()
      return tokens.fetchCachedToken(client, product, { ttlMinutes, signal })
    },
    staleTime: ({ state: { data } }) => (untilRenewalMs(data) > 0 ? Infinity : 0),
    refetchInterval: ({ state: { data } }) => Math.max(untilRenewalMs(data), SHORTEST_LOOK_MS),
    refetchIntervalInBackground: true,
    structuralSharing: false,
    gcTime: 60_000,
    ...queryDefaults(client),
  }
}

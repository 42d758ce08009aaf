import type { Product } from '@stagepass/contract'
import type { DataTag, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { perClient } from '../identity/perClient.js'
import { queryKey } from '../query/queryKey.js'
import { clientForOptionsOf, type VoiceClient } from '../client/createVoiceClient.js'
import { LONGEST_TIMER_MS } from '../platform/platform.js'
import { queryDefaults } from '../query/queryDefaults.js'
import type { VoiceError } from '../errors/VoiceError.js'
import type { SessionToken } from './SessionToken.js'
import { applicationTokensOf } from './tokensOf.js'
import type { TokenOptions, TokenSource } from './TokenSource.js'

/**
 * The session token in the query cache: a view of its source, without the secret. Dehydrated, persisted or
 * copied cache data therefore has no secret, and an old cache entry does not return an expired token.
 */
class CachedToken {
  readonly product: Product
  readonly #source: TokenSource

  constructor(source: TokenSource) {
    this.product = source.product
    this.#source = source
  }

  /** The live token; undefined after it has expired. */
  get token(): SessionToken | undefined {
    return this.#source.current()?.token
  }

  /** When it expires; undefined after it has expired. */
  get expiresAt(): Date | undefined {
    return this.#source.current()?.expiresAt
  }

  /** @internal Monotonic time at which the next token is requested; undefined without a token. */
  renewAt(): number | undefined {
    return this.#source.current()?.renewAt
  }
}

/** Options for TanStack Query: `useQuery`, `useSuspenseQuery`, `prefetchQuery`, loaders. */
export type SessionTokenOptions = UnusedSkipTokenOptions<CachedToken, VoiceError> & {
  queryKey: DataTag<readonly unknown[], CachedToken, VoiceError>
}

/** Shortest time between two checks, while a renewal is due and fails. */
const SHORTEST_LOOK_MS = 5_000

/**
 * Part of the key: a token of another page, from a cache that was shared between tabs, kept on disk or
 * dehydrated on a server, is none here.
 */
const pageOf = perClient(({ platform }) => platform.random())

/**
 * Query options for the token that `useSessionToken` and the streams use, for example to prefetch it or to
 * suspend on it. The cache does not contain the secret. The query and the hooks share one token request.
 *
 * @example await queryClient.prefetchQuery(sessionTokenOptions(voice, 'stt'))
 */
export function sessionTokenOptions(
  voice: VoiceClient,
  product: Product,
  { ttlMinutes }: TokenOptions = {},
): SessionTokenOptions {
  const client = clientForOptionsOf(voice)
  // Data that was dehydrated in this page has no methods. It counts as stale.
  const untilRenewalMs = (data: Partial<CachedToken> | undefined): number =>
    (data?.renewAt?.() ?? 0) - client.platform.now()
  const sessionToken = { product, ttlMinutes, page: pageOf(client) }
  return {
    ...queryDefaults(client),
    // The tag that connects data and error with the key exists only in types.
    queryKey: queryKey(client, { sessionToken }) as SessionTokenOptions['queryKey'],
    async queryFn({ signal }) {
      const source = applicationTokensOf(client, product)
      await source.get({ ttlMinutes, signal })
      return new CachedToken(source)
    },
    staleTime: ({ state: { data } }) => (untilRenewalMs(data) > 0 ? Infinity : 0),
    refetchInterval: ({ state: { data } }) =>
      Math.min(Math.max(untilRenewalMs(data), SHORTEST_LOOK_MS), LONGEST_TIMER_MS),
    refetchIntervalInBackground: true,
    structuralSharing: false,
    gcTime: 60_000,
    refetchOnReconnect: true,
    refetchOnWindowFocus: true,
  }
}

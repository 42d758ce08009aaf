import type { Product } from '@stagepass/contract'
import type { DataTag, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { queryKey } from '../client/queryKey.js'
import { clientForOptionsOf, type VoiceClient } from '../createVoiceClient.js'
import { queryDefaults } from '../request/queryDefaults.js'
import type { VoiceError } from '../VoiceError.js'
import type { SessionToken } from './SessionToken.js'
import { givenTokensOf } from './tokensOf.js'
import type { TokenOptions, TokenSource } from './TokenSource.js'

/**
 * The session token in the query cache: a view of its source, without the secret. So dehydrated, persisted or
 * copied cache data has no secret, and a cache that was not updated does not return an expired token.
 */
class CachedToken {
  readonly product: Product
  readonly #source: TokenSource

  constructor(source: TokenSource) {
    this.product = source.product
    this.#source = source
  }

  /** The live token; undefined once it has expired. */
  get token(): SessionToken | undefined {
    return this.#source.current()?.token
  }

  /** When it expires; undefined once it has. */
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

/** Between two checks of a token whose renewal is due and fails. */
const SHORTEST_LOOK_MS = 5_000

/**
 * The token that `useSessionToken` and the streams use, by way of the query cache: to fetch it before it is
 * needed, and to suspend on it. The secret itself is not in the cache. It costs no second request.
 *
 * @example await queryClient.prefetchQuery(sessionTokenOptions(voice, 'stt'))
 */
export function sessionTokenOptions(
  voice: VoiceClient,
  product: Product,
  { ttlMinutes }: TokenOptions = {},
): SessionTokenOptions {
  const client = clientForOptionsOf(voice)
  // Data that was dehydrated somewhere else has no methods, and is stale.
  const untilRenewalMs = (data: Partial<CachedToken> | undefined): number =>
    (data?.renewAt?.() ?? 0) - client.platform.now()
  return {
    // The tag that ties data and error to the key exists in types alone.
    queryKey: queryKey(client, { sessionToken: { product, ttlMinutes } }) as SessionTokenOptions['queryKey'],
    async queryFn({ signal }) {
      const source = givenTokensOf(client, product)
      await source.get({ ttlMinutes, signal })
      return new CachedToken(source)
    },
    staleTime: ({ state: { data } }) => (untilRenewalMs(data) > 0 ? Infinity : 0),
    refetchInterval: ({ state: { data } }) => Math.max(untilRenewalMs(data), SHORTEST_LOOK_MS),
    refetchIntervalInBackground: true,
    structuralSharing: false,
    gcTime: 60_000,
    ...queryDefaults(client),
  }
}

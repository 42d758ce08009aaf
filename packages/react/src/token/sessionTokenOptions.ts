import type { Product } from '@stagepass/contract'
import type { DataTag, UnusedSkipTokenOptions } from '@tanstack/react-query'
import { queryDefaults } from '../request/queryDefaults.js'
import type { Client } from '../client/Client.js'
import type { VoiceError } from '../VoiceError.js'
import type { SessionToken } from './SessionToken.js'
import { tokensOf } from './tokensOf.js'
import type { TokenSource, TokenWish } from './TokenSource.js'

/**
 * The session token in the query cache: a view of its source, without the secret. So dehydrated, persisted or copied cache data has no
 * secret, and a cache that was not updated does not return an expired token.
 */
export class CachedToken {
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
}

/** Options for TanStack Query: `useQuery`, `useSuspenseQuery`, `prefetchQuery`, loaders. */
export type SessionTokenOptions = UnusedSkipTokenOptions<CachedToken, VoiceError> & {
  queryKey: DataTag<readonly unknown[], CachedToken, VoiceError>
}

export const sessionTokenKey = (
  root: Client['root'],
  product: Product,
  ttlMinutes: number | undefined,
): readonly unknown[] => [...root, 'session-token', product, ttlMinutes ?? null]

/** Between two checks of a token whose renewal is due and fails. */
const SHORTEST_LOOK_MS = 5_000

/**
 * The token of a source in the query cache: to fetch it before it is needed, and to suspend on it. It is the
 * token that `useSessionToken` and the streams use, and costs no second request.
 */
export function sessionTokenOptionsOf(
  client: Client,
  product: Product,
  { ttlMinutes }: TokenWish,
): SessionTokenOptions {
  const source = tokensOf(client).source(product)
  const untilRenewalMs = (): number => {
    const state = source.state()
    return state.status === 'success' ? state.renewAt - client.platform.now() : 0
  }
  return {
    // The tag that ties data and error to the key exists in types alone.
    queryKey: sessionTokenKey(client.root, product, ttlMinutes) as SessionTokenOptions['queryKey'],
    async queryFn({ signal }) {
      await source.get({ ttlMinutes, signal })
      return new CachedToken(source)
    },
    // Data that was dehydrated somewhere else is no CachedToken, and is stale.
    staleTime: ({ state: { data } }) => (data instanceof CachedToken && untilRenewalMs() > 0 ? Infinity : 0),
    refetchInterval: () => Math.max(untilRenewalMs(), SHORTEST_LOOK_MS),
    refetchIntervalInBackground: true,
    structuralSharing: false,
    gcTime: 60_000,
    ...queryDefaults(client),
  }
}

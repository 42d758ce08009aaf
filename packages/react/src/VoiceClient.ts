import type { Product } from '@stagepass/contract'
import type { Bff } from './bff/Bff.js'
import type { VoiceEvent } from './events.js'
import type { MeetingFieldName, MeetingWith } from './meetings/meetingFields.js'
import type { MeetingOptions } from './meetings/meetingOptions.js'
import type { MeetingsOptions } from './meetings/meetingsOptions.js'
import type { MeetingsFilters } from './meetings/meetingsQuery.js'
import type { OpenSocket } from './stream/Socket.js'
import type { TagsOptions } from './tags/tagsOptions.js'
import type { SessionTokenOptions } from './token/sessionTokenOptions.js'
import type { TokenSource, TokenWish } from './token/TokenSource.js'

/**
 * What the hooks work with. Made by `createVoiceClient`, given to `VoiceProvider`.
 *
 * The options are TanStack Query's: pass them to `useQuery`, `useSuspenseInfiniteQuery`, `prefetchInfiniteQuery`, a router's loader, or
 * `setQueryData(options.queryKey, …)`.
 */
export interface VoiceClient extends Bff {
  /** The token that `useSessionToken` and the streams use, by way of the query cache; the secret itself is not in the cache. */
  sessionTokenOptions(product: Product, wish?: TokenWish): SessionTokenOptions
  /** The list, as `useInfiniteQuery` takes it. */
  meetingsOptions<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
    filters?: MeetingsFilters<TFields>,
  ): MeetingsOptions<MeetingWith<TFields>>
  /** One meeting. While it is processed the query is pending, with `failureReason`, and polls at the server's pace. */
  meetingOptions<const TFields extends readonly MeetingFieldName[] | undefined = undefined>(
    id: string,
    options?: { readonly fields?: TFields },
  ): MeetingOptions<MeetingWith<TFields>>
  tagsOptions(): TagsOptions
  /** The source of a product's tokens, for code outside React. */
  readonly tokens: (product: Product) => TokenSource
  /** Calls back for every event, beside `onEvent`. Returns its undo. */
  subscribe(listener: (event: VoiceEvent) => void): () => void
  /**
   * Forgets every token, and replaces every live stream: for a change of user. What the query cache holds is the application's to clear
   * (`queryClient.clear()`).
   */
  clear(): void
  /**
   * @internal What `create` makes of this client, made once. Parts that not every application uses hang on the client in this way, so that
   * only those who import them carry them.
   */
  part<TPart>(create: (client: VoiceClient) => TPart): TPart
  /** @internal */
  readonly emit: (event: VoiceEvent) => void
  /** @internal */
  readonly openSocket: OpenSocket | undefined
}

import type { Product } from '@stagepass/contract'
import type { Request } from './bff/createRequest.js'
import type { VoiceEvent } from './events.js'
import type { Platform } from './platform.js'
import type { TokenSource } from './token/TokenSource.js'

/** What the hooks work with. Made by `createVoiceClient`, given to `VoiceProvider`. */
export interface VoiceClient {
  /** Where the BFF is mounted. Part of every query key. */
  readonly url: string
  /** The source of a product's tokens, for code outside React. */
  tokens(product: Product): TokenSource
  /** Calls back for every event, beside `onEvent`. Returns its undo. */
  subscribe(listener: (event: VoiceEvent) => void): () => void
  /** Forgets every token; for a change of user. What the query cache holds is the application's to clear. */
  clear(): void
  /** @internal */
  readonly request: Request
  /** @internal */
  readonly platform: Platform
}

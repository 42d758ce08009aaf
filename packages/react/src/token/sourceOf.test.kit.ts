import type { Product } from '@stagepass/contract'
import { clientOf, type VoiceClient } from '../client/createVoiceClient.js'
import { tokensOf } from './tokensOf.js'
import type { TokenSource } from './TokenSource.js'

/** The source that the hooks use. Its tokens count as unused until a stream has used them. */
export function sourceOf(voice: VoiceClient, product: Product): TokenSource {
  return tokensOf(clientOf(voice), product)
}

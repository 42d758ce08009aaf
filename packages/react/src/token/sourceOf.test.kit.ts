import type { Product } from '@stagepass/contract'
import { clientOf, type VoiceClient } from '../createVoiceClient.js'
import { tokensOf } from './tokensOf.js'
import type { TokenSource } from './TokenSource.js'

/** The source that the hooks use. What it gives counts as unused until a stream has used it. */
export function sourceOf(voice: VoiceClient, product: Product): TokenSource {
  return tokensOf(clientOf(voice), product)
}

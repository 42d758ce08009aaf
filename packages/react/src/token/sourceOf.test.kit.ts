import type { Product } from '@stagepass/contract'
import { clientOf, type VoiceClient } from '../createVoiceClient.js'
import type { OwnTokenSource } from './TokenSource.js'
import { tokensOf } from './tokensOf.js'

/** The source that the hooks use, at once. `voice.tokenSource()` loads its code first. */
export function sourceOf(voice: VoiceClient, product: Product): OwnTokenSource {
  return tokensOf(clientOf(voice)).source(product)
}

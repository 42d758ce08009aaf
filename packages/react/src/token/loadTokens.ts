import { asVoiceError } from '../VoiceError.js'
import type * as tokensOnDemand from './tokensOnDemand.js'

/** The code of tokens. Rejects with a `VoiceError`. */
export function loadTokens(): Promise<typeof tokensOnDemand> {
  return import('./tokensOnDemand.js').catch((thrown: unknown) => {
    throw asVoiceError(thrown)
  })
}

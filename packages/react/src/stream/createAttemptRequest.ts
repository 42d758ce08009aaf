import type { Product } from '@stagepass/contract'
import { asVoiceError } from '../errors/VoiceError.js'
import { getToken } from './lease/getToken.js'
import type { StreamParts } from './lease/StreamParts.js'
import type { StreamInput } from './machine/input.js'
import { attemptOf, type StreamState } from './machine/state.js'

interface AttemptRequestOptions {
  readonly product: Product
  readonly parts: StreamParts
  readonly onResult: (input: StreamInput) => void
}

/** The one request that a state may need: for a token, or for a handshake check by the BFF. */
export function createAttemptRequest(options: AttemptRequestOptions) {
  const { product, parts, onResult } = options
  let request: { readonly generation: number; readonly abort: AbortController } | undefined

  return {
    /** Starts the request that the state needs, and aborts one that it no longer needs. */
    follow(state: StreamState): void {
      const attempt =
        state.status === 'reconnecting' && state.next.step === 'checking' ? state.next : attemptOf(state)
      const wanted = attempt?.step === 'minting' || attempt?.step === 'checking' ? attempt : undefined
      if (wanted?.generation === request?.generation) return
      request?.abort.abort()
      request = undefined
      if (!wanted) return
      const { generation } = wanted
      const abort = new AbortController()
      const { signal } = abort
      request = { generation, abort }
      if (wanted.step === 'minting') {
        getToken(parts, { signal, notGeneration: wanted.refusedGeneration }).then(
          (token) => onResult({ type: 'minted', generation, token }),
          (thrown: unknown) => onResult({ type: 'mint failed', generation, error: asVoiceError(thrown) }),
        )
      } else {
        parts.checkHandshake(product, wanted.token.token, signal).then(
          (error) => onResult({ type: 'checked', generation, error }),
          (thrown: unknown) => onResult({ type: 'check failed', generation, error: asVoiceError(thrown) }),
        )
      }
    },
  }
}

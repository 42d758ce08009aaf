import type { Product } from '@stagepass/contract'
import type { TokenSource } from '../token/TokenSource.js'
import { asVoiceError } from '../errors/VoiceError.js'
import type { StreamInput } from './machine/input.js'
import { attemptOf, type StreamState } from './machine/state.js'
import type { CheckHandshake } from './wire/createHandshakeCheck.js'

interface AttemptRequestOptions {
  readonly product: Product
  readonly tokens: TokenSource
  readonly checkHandshake: CheckHandshake
  readonly onResult: (input: StreamInput) => void
}

/** The one request that a state may need: for a token, or for a handshake check by the BFF. */
export function createAttemptRequest(options: AttemptRequestOptions) {
  const { product, tokens, checkHandshake, onResult } = options
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
        tokens.get({ signal, notGeneration: wanted.refusedGeneration }).then(
          (token) => onResult({ type: 'minted', generation, token }),
          (thrown: unknown) => onResult({ type: 'mint failed', generation, error: asVoiceError(thrown) }),
        )
      } else {
        checkHandshake(product, wanted.token.token, signal).then(
          (error) => onResult({ type: 'checked', generation, error }),
          (thrown: unknown) => onResult({ type: 'check failed', generation, error: asVoiceError(thrown) }),
        )
      }
    },
  }
}

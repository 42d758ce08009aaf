import type { Product } from '@stagepass/contract'
import type { TokenSource } from '../token/TokenSource.js'
import { asVoiceError, VoiceError } from '../VoiceError.js'
import type { CheckHandshake } from './wire/createHandshakeCheck.js'
import type { StreamInput } from './machine/input.js'
import type { StreamState } from './machine/state.js'
import { trialOf } from './machine/state.js'

export interface TrialRequestOptions {
  readonly product: Product
  readonly tokens: TokenSource
  readonly checkHandshake: CheckHandshake
  readonly onResult: (input: StreamInput) => void
}

/** The one request that a state may name: for a token, or for the BFF's look at a refusal. */
export interface TrialRequest {
  /** Sets off the request that the state names, and aborts the one that it names no more. */
  follow(state: StreamState): void
}

export function createTrialRequest({
  product,
  tokens,
  checkHandshake,
  onResult,
}: TrialRequestOptions): TrialRequest {
  let request: { readonly id: number; readonly abort: AbortController } | undefined

  return {
    follow(state) {
      const trial =
        state.status === 'reconnecting' && state.next.step === 'checking' ? state.next : trialOf(state)
      const wanted = trial?.step === 'minting' || trial?.step === 'checking' ? trial : undefined
      if (wanted?.id === request?.id) return
      request?.abort.abort()
      request = undefined
      if (!wanted) return
      const { id } = wanted
      const abort = new AbortController()
      request = { id, abort }
      if (wanted.step === 'minting') {
        tokens.get({ signal: abort.signal, notGeneration: wanted.not }).then(
          (token) => onResult({ type: 'minted', id, token }),
          (thrown: unknown) => onResult({ type: 'mint failed', id, error: asVoiceError(thrown) }),
        )
      } else {
        checkHandshake(product, wanted.token.token, abort.signal).then(
          (answer) =>
            onResult({
              type: 'checked',
              id,
              error: answer.ok
                ? undefined
                : new VoiceError(answer.error_code, { retryable: answer.retryable, status: answer.status }),
            }),
          (thrown: unknown) => onResult({ type: 'check failed', id, error: asVoiceError(thrown) }),
        )
      }
    },
  }
}

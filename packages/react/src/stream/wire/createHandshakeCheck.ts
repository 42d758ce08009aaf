import { type Product, REFUSAL_CODES, type RefusalCode } from '@stagepass/contract'
import type { VoiceErrorCode } from '../../errors/clientErrors.js'
import type { SendRequest } from '../../request/SendRequest.js'
import type { SessionToken } from '../../token/SessionToken.js'
import { asVoiceError, VoiceError } from '../../errors/VoiceError.js'
import { toVoiceError } from '../machine/refusal.js'

/**
 * Resolves with the error of the handshake, or `undefined` if it was accepted. Rejects with a `VoiceError` if
 * the BFF could not try it.
 */
export type CheckHandshake = (
  product: Product,
  token: SessionToken,
  signal: AbortSignal,
) => Promise<VoiceError | undefined>

const NO_ROUTE: readonly VoiceErrorCode[] = ['NOT_FOUND', 'NOT_STAGEPASS', 'MALFORMED_RESPONSE']

/** Asks the BFF to try the handshake, because a browser does not see the code of a refusal. */
export function createHandshakeCheck(request: SendRequest): CheckHandshake {
  return async (product, token, signal) => {
    try {
      const json = { usage_type: product, session_key: token.value }
      const { ok, error_code, retryable, status } = await request({ route: '/handshake-check', json, signal })
      if (ok === true) return undefined
      if (!isRefusalCode(error_code)) throw new VoiceError('MALFORMED_RESPONSE')
      const number = typeof status === 'number' ? status : undefined
      return toVoiceError({ code: error_code, retryable: retryable === true, status: number }, error_code)
    } catch (thrown) {
      const error = asVoiceError(thrown)
      // A BFF without this route cannot try the handshake. The error of its 404 would be about the wrong URL.
      if ((error.retryable && error.status !== 404) || !NO_ROUTE.includes(error.code)) throw error
      throw new VoiceError('CONNECTION_REFUSED', {
        retryable: false,
        cause: error,
        seen: { cause: 'no-check' },
      })
    }
  }
}

function isRefusalCode(value: unknown): value is RefusalCode {
  return REFUSAL_CODES.includes(value as RefusalCode)
}

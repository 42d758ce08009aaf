import type { HandshakeCheckAnswer, Product, RefusalCode } from '@stagepass/contract'
import { REFUSAL_CODES } from '@stagepass/contract'
import type { SendRequest } from '../../client/request.js'
import { asVoiceError, VoiceError } from '../../VoiceError.js'
import type { SessionToken } from '../../token/SessionToken.js'

/** Resolves with the BFF's verdict on a handshake; rejects with a `VoiceError` where it could not be had. */
export type CheckHandshake = (
  product: Product,
  token: SessionToken,
  signal: AbortSignal,
) => Promise<HandshakeCheckAnswer>

/** Asks the BFF to try the handshake: it sees the code that a browser is not told. */
export function createHandshakeCheck(request: SendRequest): CheckHandshake {
  return async (product, token, signal) => {
    try {
      const json = { usage_type: product, session_key: token.value }
      const { ok, error_code, retryable, status } = await request({ route: '/handshake-check', json, signal })
      if (ok === true) return { ok }
      if (!isRefusalCode(error_code)) throw new VoiceError('MALFORMED_ANSWER')
      return {
        ok: false,
        error_code,
        retryable: retryable === true,
        status: typeof status === 'number' ? status : undefined,
      }
    } catch (thrown) {
      const error = asVoiceError(thrown)
      // A BFF without this route can tell nothing; "there is nothing at this address" would be about the wrong address.
      if (error.code !== 'NOT_FOUND' && error.code !== 'MALFORMED_ANSWER') throw error
      throw new VoiceError('CONNECTION_REFUSED', { retryable: false, cause: error })
    }
  }
}

function isRefusalCode(value: unknown): value is RefusalCode {
  return REFUSAL_CODES.includes(value as RefusalCode)
}

import { HANDSHAKE_ERRORS, hasCode } from '@stagepass/contract'
import type { Request } from '../bff/createRequest.js'
import { asVoiceError, VoiceError } from '../VoiceError.js'
import type { CheckHandshake } from './createTrialRequest.js'

/** Asks the BFF to try the handshake: it sees the code that a browser is not told. */
export function createHandshakeCheck(request: Request): CheckHandshake {
  return async (product, token, signal) => {
    try {
      const json = { usage_type: product, session_key: token.value }
      const { ok, error_code, retryable } = await request({ route: '/handshake-check', json, signal })
      if (ok === true) return { ok }
      if (hasCode(HANDSHAKE_ERRORS, error_code))
        return { ok: false, error_code, retryable: retryable === true }
      throw new VoiceError('MALFORMED_ANSWER')
    } catch (thrown) {
      const error = asVoiceError(thrown)
      // A BFF without this route can tell nothing; "there is nothing at this address" would be about the wrong address.
      if (error.code !== 'NOT_FOUND' && error.code !== 'MALFORMED_ANSWER') throw error
      throw new VoiceError('CONNECTION_REFUSED', { retryable: false, cause: error })
    }
  }
}

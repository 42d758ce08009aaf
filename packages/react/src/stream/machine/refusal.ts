import { HANDSHAKE_ERRORS, hasCode, type Refusal } from '@stagepass/contract'
import type { VoiceErrorCode } from '../../errors/clientErrors.js'
import type { LiveToken } from '../../token/TokenSource.js'
import { VoiceError, type VoiceErrorDetails } from '../../VoiceError.js'

/**
 * The error of a connection that ended. Its `cause` has the service's own words, which the browser received
 * itself. (security.md, S20.)
 */
export function toVoiceError(
  refusal: Refusal | undefined,
  otherwise: VoiceErrorCode,
  details: Pick<VoiceErrorDetails, 'seen' | 'lostBy'> = {},
): VoiceError {
  if (!refusal) return new VoiceError(otherwise, details)
  const { code, retryable, words } = refusal
  const row = hasCode(HANDSHAKE_ERRORS, code) ? HANDSHAKE_ERRORS[code] : undefined
  return new VoiceError(code, {
    ...details,
    message: row?.title,
    status: refusal.status ?? row?.status,
    retryable,
    ...(words && { cause: new Error(words) }),
  })
}

/** True if a fresh token may be accepted. */
export function isAboutToken(refusal: Refusal | undefined): boolean {
  return refusal?.code === 'unauthorized'
}

/**
 * Removes the words of a refusal if they repeat the token, because an error may be logged. (security.md,
 * S31.) For an expired token the words are always removed, because its value is empty.
 */
export function withoutToken(refusal: Refusal | undefined, { token }: LiveToken): Refusal | undefined {
  return refusal?.words?.includes(token.value) ? { ...refusal, words: undefined } : refusal
}

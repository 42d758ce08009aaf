import { HANDSHAKE_ERRORS, hasCode, type Refusal } from '@stagepass/contract'
import type { VoiceErrorCode } from '../../errors/clientErrors.js'
import type { LiveToken } from '../../token/TokenSource.js'
import { VoiceError, type VoiceErrorDetails } from '../../errors/VoiceError.js'

/**
 * The error of a connection that ended. Its `cause` has the service's own words, which the browser received
 * itself. (security.md, S20.)
 */
export function toVoiceError(
  refusal: Refusal | undefined,
  otherwise: VoiceErrorCode,
  details: Pick<VoiceErrorDetails, 'seen' | 'lostBy' | 'closeCode' | 'closeReason'> = {},
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

/** Fewer characters of a token in a row are no part of it. */
const PART = 8

/** A long word of letters is a name, and one of hexadecimal digits is the id of a request. */
const READABLE = /^[a-z_.-]+$|^[\da-f-]{32,36}$/i

/** Removes the token from the words of a refusal, because an error may be logged. (security.md, S31.) */
export function withoutToken(refusal: Refusal | undefined, token: LiveToken): Refusal | undefined {
  return refusal && { ...refusal, words: wordsWithoutToken(refusal.words, token) }
}

/**
 * The words, with `…` in place of what may be an address or an encoded token; `undefined` if they still have
 * a part of the token. For an expired token too, because its value is empty.
 */
export function wordsWithoutToken(words = '', { token }: LiveToken): string | undefined {
  const { value } = token
  const kept = words.replaceAll(/\S{16,}/g, (word) => (READABLE.test(word) ? word : '…'))
  for (let at = 0; at === 0 || at + PART <= value.length; at += 1)
    if (kept.includes(value.slice(at, at + PART))) return undefined
  return kept || undefined
}

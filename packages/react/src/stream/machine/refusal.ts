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

/**
 * Removes the words of a refusal if they have a part of the token, because an error may be logged. (security.md,
 * S31.)
 */
export function withoutToken(refusal: Refusal | undefined, token: LiveToken): Refusal | undefined {
  return refusal && { ...refusal, words: wordsWithoutToken(refusal.words, token) }
}

/**
 * The words, or `undefined` if they have a part of the token or of the address that it was sent to: as it is,
 * percent-encoded or in base64. For an expired token the words are always removed, because its value is empty.
 */
export function wordsWithoutToken(words: string | undefined, { token }: LiveToken): string | undefined {
  const { value } = token
  if (!words || value === '') return undefined
  // By hand, because the words may be cut off in an escape.
  const plain = words.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
  const forms = [words, plain]
  for (const [run] of words.matchAll(/[\w+/-]{12,}/g)) forms.push(fromBase64(run))
  const text = forms.join(' ')
  if (/authorization=/i.test(text) || text.includes(value)) return undefined
  for (let at = 0; at + PART <= value.length; at += 1)
    if (text.includes(value.slice(at, at + PART))) return undefined
  return words
}

/** The decoded text; empty if it is not base64. */
function fromBase64(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return ''
  }
}

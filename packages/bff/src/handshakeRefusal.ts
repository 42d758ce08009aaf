import { codesOf, HANDSHAKE_ERRORS, type HandshakeErrorCode } from '@stagepass/contract'

/** What was seen of a refused handshake, in any of the three ways: an HTTP answer, an error frame, a close. */
export interface Refusal {
  /** HTTP status of the answer to the upgrade. */
  readonly status?: number | undefined
  /** Body, frame or close reason. */
  readonly text: string
  /** Code of the close. */
  readonly closeCode?: number | undefined
}

const CODE = new RegExp(`\\b(?:${codesOf(HANDSHAKE_ERRORS).join('|')})\\b`)

/**
 * The contract's code of a refused handshake, or `undefined` where it cannot be told. The word counts before the number: of an invalid token the
 * contract says 403 and public sources say 401. (Assumptions: "Refused handshakes".)
 * `invalid_api_key` and `missing_authorization_header` need the word, for we always send
 * the header, and in the right scheme.
 */
export function readRefusal({ status, text, closeCode }: Refusal): HandshakeErrorCode | undefined {
  const word = CODE.exec(text)?.[0]
  if (word !== undefined) return word as HandshakeErrorCode // the pattern holds nothing else
  const number = status ?? numberIn(text) ?? (closeCode === undefined ? undefined : closeCode - 4_000)
  if (number === 401 || number === 403) return 'unauthorized'
  return number === 429 ? 'concurrency_limit_exceeded' : undefined
}

/** The `code` of a JSON error frame, where it is a number. */
function numberIn(text: string): number | undefined {
  try {
    const frame: unknown = JSON.parse(text)
    const code = typeof frame === 'object' && frame !== null && 'code' in frame ? frame.code : undefined
    return typeof code === 'number' ? code : undefined
  } catch {
    return undefined
  }
}

/** True for a frame that says that something is wrong; any other (`ready`, say) means that the stream is open. */
export function isErrorFrame(text: string): boolean {
  try {
    const frame: unknown = JSON.parse(text)
    if (typeof frame !== 'object' || frame === null) return false
    return ('type' in frame && frame.type === 'error') || 'error' in frame || 'error_code' in frame
  } catch {
    return false
  }
}

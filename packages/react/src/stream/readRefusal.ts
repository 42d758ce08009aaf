import type { VoiceErrorCode } from '@stagepass/contract'
import { HANDSHAKE_ERRORS, codesOf, hasCode } from '@stagepass/contract'

/** Longer text is no refusal, and not worth parsing. */
const MAX_LENGTH = 2_048

/**
 * Numbers in place of codes (Assumptions: "Refused handshakes"). An invalid token may be 403 or 401, too many sessions 429. 400
 * and 402 are the application's or the account's fault, and final.
 */
const BY_NUMBER: Readonly<Record<number, VoiceErrorCode>> = {
  400: 'STREAM_ERROR',
  401: 'unauthorized',
  402: 'STREAM_ERROR',
  403: 'unauthorized',
  429: 'concurrency_limit_exceeded',
}

/** Reads what a server may mean by a text frame: the code of an error frame, `undefined` for any other. Never throws. */
export function readErrorFrame(text: string): VoiceErrorCode | undefined {
  if (text.length > MAX_LENGTH || text[0] !== '{' || !text.includes('"')) return undefined
  try {
    return readErrorObject(JSON.parse(text) as Record<string, unknown>)
  } catch {
    return undefined
  }
}

/** Reads a close: its reason where it names a code or holds an error frame, else a code of the 4xxx that copies an HTTP status. */
export function readClose(code: number, reason: string): VoiceErrorCode | undefined {
  return (
    readErrorFrame(reason) ??
    codesOf(HANDSHAKE_ERRORS).find((name) => reason.includes(name)) ??
    BY_NUMBER[code - 4_000]
  )
}

function readErrorObject(frame: Record<string, unknown>): VoiceErrorCode | undefined {
  const { error } = frame
  const inner: unknown = error instanceof Object && 'code' in error ? error.code : error
  for (const value of [frame.error_code, frame.code, inner, frame.reason]) {
    if (hasCode(HANDSHAKE_ERRORS, value)) return value
  }
  // A bare number says something only where the frame says that it is an error.
  if (frame.type !== 'error' && error === undefined) return undefined
  return BY_NUMBER[Number(frame.code ?? inner)]
}

import { isObject } from '../service/isObject.js'
import { stripBom } from '../service/stripBom.js'
import { codesOf, hasCode } from './ErrorRow.js'
import { HANDSHAKE_ERRORS, type HandshakeErrorCode } from './handshakeErrors.js'

/**
 * The codes of a refusal: the four named ones, and `STREAM_ERROR` for every other error. (Contract:
 * "Handshake errors".)
 */
export const REFUSAL_CODES = [...codesOf(HANDSHAKE_ERRORS), 'STREAM_ERROR'] as const
/** One of `REFUSAL_CODES`: the `code` of a refusal. */
export type RefusalCode = (typeof REFUSAL_CODES)[number]

/** The reason why the service refused a handshake or ended a stream. */
export interface Refusal {
  readonly code: RefusalCode
  /**
   * True if a retry may help. After `unauthorized`, retry once with a fresh token. A 5xx says nothing about
   * the token.
   */
  readonly retryable: boolean
  /** The service's number, such as 401, if it sent one. */
  readonly status?: number | undefined
  /**
   * The service's own sentence, if it sent one. Only the client that received it may show it. The BFF must
   * not pass it on. (security.md, S20.)
   */
  readonly words?: string | undefined
}

/** The HTTP response of a refused upgrade. A client that can send headers sees it; a browser does not. */
export interface RefusedUpgrade {
  readonly status: number
  readonly body: string
}

/*
 * The contract does not show the form of a refusal. All of these forms are read (Assumptions: "Refused
 * handshakes"):
 *
 *   HTTP response a status, and a body that is JSON in one of the forms below, or text
 *   text frame    {"error":{"code":401,"reason":"…","description":"…"}} (`/vt`; or a name as the code)
 *                 {"error":"unauthorized"}, {"error_code":"unauthorized"}, {"type":"error","code":401}
 *   close         a name or one of the JSON forms as the reason, or a close code of 4000 + any HTTP status
 *                 from 400
 *
 * A name has precedence over a number, because sources differ in the number: 403 or 401 for an invalid token.
 */

/** A longer text is not a refusal and is not parsed. */
const MAX_LENGTH = 4_096
const MAX_WORDS_LENGTH = 300

const NAME_IN_TEXT = new RegExp(`\\b(?:${codesOf(HANDSHAKE_ERRORS).join('|')})\\b`)

/**
 * Reads the response to an upgrade. Returns `undefined` if the status says nothing about the handshake (a
 * 404, a redirect).
 */
export function readRefusedUpgrade({ status, body }: RefusedUpgrade): Refusal | undefined {
  const said = readObject(body, true)
  // A proxy's error page may contain the English word "unauthorized". With a 5xx, the word is not a decision
  // of the service.
  const name = said?.name ?? (said || status >= 500 ? undefined : nameIn(body))
  return toRefusal(name, [said?.number, isKnownNumber(status) ? status : undefined], said?.words)
}

/**
 * Reads a text frame. Returns `undefined` if it is not an error frame or the error is unknown. Never throws.
 */
export function readErrorFrame(text: string): Refusal | undefined {
  const said = readObject(text, false)
  return said && toRefusal(said.name, [said.number], said.words)
}

/**
 * Reads a close event. Returns `undefined` if neither its code nor its reason names a refusal. Never throws.
 */
export function readClose(closeCode: number, reason: string): Refusal | undefined {
  const said = readObject(reason, true)
  const name = said ? said.name : nameIn(reason)
  const status = closeCode >= 4_400 && closeCode < 4_600 ? closeCode - 4_000 : undefined
  return toRefusal(name, [said?.number, status], said ? said.words : reason)
}

/** True for a frame that reports an error, even an unknown one. */
export function isErrorFrame(text: string): boolean {
  return readObject(text, false) !== undefined
}

/** The content of an error object. The code is decided later. */
interface Said {
  readonly name: HandshakeErrorCode | undefined
  readonly number: number | undefined
  readonly words: string | undefined
}

function readObject(text: string, isError: boolean): Said | undefined {
  const frame = parseObject(text)
  if (!frame) return undefined
  const { error } = frame
  // `error: null` and `error: false` mean "no error".
  const hasError = error !== undefined && error !== null && error !== false
  const inner = isObject(error) ? error : undefined
  const name = [frame.error_code, inner?.error_code, inner?.code, error, frame.code, inner?.reason].find(
    (value) => hasCode(HANDSHAKE_ERRORS, value),
  )
  const flat = isError || frame.type === 'error' || hasError || frame.error_code !== undefined
  if (!flat && name === undefined) return undefined
  const source = inner ?? frame
  const reason = hasCode(HANDSHAKE_ERRORS, source.reason) ? source.reason : undefined
  return {
    name: name ?? reason,
    number: [inner?.code, frame.code, inner?.status, error].map(asNumber).find(isKnownNumber),
    words: [source.description, source.message, source.reason, error].find(isText),
  }
}

function toRefusal(
  name: HandshakeErrorCode | undefined,
  numbers: readonly (number | undefined)[],
  words: string | undefined,
): Refusal | undefined {
  const status = numbers.find((number) => number !== undefined)
  const code = name ?? (status === undefined ? undefined : codeOf(status))
  if (code === undefined) return undefined
  const retryable = code === 'STREAM_ERROR' ? isPassing(status) : HANDSHAKE_ERRORS[code].retryable
  return {
    code,
    retryable,
    ...(status !== undefined && { status }),
    ...(words && { words: words.slice(0, MAX_WORDS_LENGTH) }),
  }
}

function codeOf(status: number): RefusalCode {
  if (status === 401 || status === 403) return 'unauthorized'
  return status === 429 ? 'concurrency_limit_exceeded' : 'STREAM_ERROR'
}

/** True if the same request may succeed later: a timeout, too early, a problem of the server. */
function isPassing(status = 0): boolean {
  return status >= 500 || status === 408 || status === 425
}

/** Accepts only numbers with a known meaning. 404 or 4000 may mean anything. */
function isKnownNumber(value: number | undefined): value is number {
  if (value === undefined || !Number.isInteger(value)) return false
  return [400, 401, 402, 403, 429].includes(value) || (value >= 500 && value <= 599)
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : undefined
}

function nameIn(text: string): HandshakeErrorCode | undefined {
  const name = text.length > MAX_LENGTH ? undefined : NAME_IN_TEXT.exec(text)?.[0]
  return hasCode(HANDSHAKE_ERRORS, name) ? name : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  // Most frames are not errors. To save time, only a text that looks like an object with a string is parsed.
  if (text.length > MAX_LENGTH || !text.includes('"') || !text.trimStart().startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(stripBom(text))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

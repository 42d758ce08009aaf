import { encodeUtf8 } from '../platform/bytes.js'
import type { HttpResponse } from './http.js'

/** Close code of a stream that threw: "internal error". */
export const FAILED = 1011

/** Maximum number of bytes of the reason in a close frame. */
export const MAX_REASON_BYTES = 123

/** Thrown if a route refuses a request. The response says why. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly response: HttpResponse

  constructor(response: HttpResponse) {
    super(`refused with ${response.status}`)
    this.response = response
  }
}

/**
 * The response to a request whose route threw, for example because a test changed a row into something that
 * cannot be read.
 */
export function formatFailure(error: unknown): HttpResponse {
  return { status: 500, body: { error: sentence(error) } }
}

/** The close reason for a stream that threw. */
export function failureReason(error: unknown): string {
  const bytes = encodeUtf8(sentence(error)).subarray(0, MAX_REASON_BYTES)
  // With `stream`, the decoder omits a last character that was cut.
  return new TextDecoder().decode(bytes, { stream: true })
}

function sentence(error: unknown): string {
  return `The emulator could not answer: ${error instanceof Error ? error.message : String(error)}`
}

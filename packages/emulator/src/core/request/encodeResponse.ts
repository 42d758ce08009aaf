import { utf8Length } from '../platform/bytes.js'
import type { EncodedResponse, HttpResponse } from './http.js'

/** `nowMs` is the emulator's time. Throws if the body is a value that JSON cannot hold. */
export function encodeResponse({ status, body, headers }: HttpResponse, nowMs: number): EncodedResponse {
  const isText = typeof body === 'string'
  const text = body === undefined ? '' : isText ? body : JSON.stringify(body)
  return {
    status,
    headers: {
      date: new Date(nowMs).toUTCString(),
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      'content-length': utf8Length(text),
      ...headers,
    },
    body: { type: 'text', text },
  }
}

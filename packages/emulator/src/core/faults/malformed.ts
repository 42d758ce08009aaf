import type { EncodedBody, EncodedResponse } from '../request/http.js'
import type { MalformedKind, MalformedOptions } from './Fault.js'

const OVERSIZED_BYTES = 16 * 1_024 * 1_024
const SPACE_INTERVAL_MS = 20

/** The response of each kind. */
export function formatMalformed(
  kind: MalformedKind,
  { status, bytes = OVERSIZED_BYTES, location = '/redirected' }: MalformedOptions,
): EncodedResponse {
  const json = { 'content-type': 'application/json' }
  const text = (content: string): EncodedBody => ({ type: 'text', text: content })
  switch (kind) {
    case 'bad-json':
      return {
        status: status ?? 200,
        headers: json,
        body: text('{"code":0,"message":"Success","data":{"session_'),
      }
    case 'wrong-shape':
      return { status: status ?? 200, headers: json, body: text('{"ok":true,"items":[1,2,3]}') }
    case 'empty':
      return { status: status ?? 200, headers: json, body: text('') }
    case 'html': {
      const page = '<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>'
      return { status: status ?? 502, headers: { 'content-type': 'text/html' }, body: text(page) }
    }
    case 'redirect':
      return { status: status ?? 302, headers: { location }, body: text('') }
    case 'oversized':
      return { status: status ?? 200, headers: json, body: { type: 'spaces', count: bytes } }
    case 'endless':
      return { status: status ?? 200, headers: json, body: { type: 'endless', everyMs: SPACE_INTERVAL_MS } }
    default:
      return kind satisfies never
  }
}

import type { EncodedBody, EncodedResponse } from '../request/http.js'
import type { MalformedKind, MalformedOptions } from './Fault.js'

const OVERSIZED_BYTES = 16 * 1_024 * 1_024
const SPACE_INTERVAL_MS = 20

const JSON_TYPE = { 'content-type': 'application/json' }
const PROXY_PAGE = '<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>'

/** The response of each kind. */
export function formatMalformed(
  kind: MalformedKind,
  { status = 200, bytes: count = OVERSIZED_BYTES, location = '/redirected' }: MalformedOptions,
): EncodedResponse {
  const json = (body: EncodedBody): EncodedResponse => ({ status, headers: JSON_TYPE, body })
  switch (kind) {
    case 'bad-json':
      return json({ type: 'text', text: '{"code":0,"message":"Success","data":{"session_' })
    case 'wrong-shape':
      return json({ type: 'text', text: '{"ok":true,"items":[1,2,3]}' })
    case 'empty':
      return json({ type: 'text', text: '' })
    case 'html':
      return { status, headers: { 'content-type': 'text/html' }, body: { type: 'text', text: PROXY_PAGE } }
    case 'redirect':
      return { status, headers: { location }, body: { type: 'text', text: '' } }
    case 'oversized':
      return json({ type: 'spaces', count })
    case 'endless':
      return json({ type: 'endless', everyMs: SPACE_INTERVAL_MS })
    default:
      return kind satisfies never
  }
}

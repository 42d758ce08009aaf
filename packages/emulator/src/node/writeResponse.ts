import type { ServerResponse } from 'node:http'
import type { MalformedKind, MalformedOptions } from '../core/faults/faults.js'

const OVERSIZED_BYTES = 16 * 1_024 * 1_024
const CHUNK = Buffer.alloc(64 * 1_024, ' ')
const DRIP_MS = 20

/** The status of such an answer where none is asked for; 200 for the others. */
const USUAL_STATUS: Partial<Record<MalformedKind, number>> = { html: 502, redirect: 302 }

/** Sends an answer that is none. Returns its status. */
export function sendMalformed(
  response: ServerResponse,
  kind: MalformedKind,
  { status: asked, bytes = OVERSIZED_BYTES, location = '/redirected' }: MalformedOptions,
): number {
  const status = asked ?? USUAL_STATUS[kind] ?? 200
  const json = { 'content-type': 'application/json' }
  switch (kind) {
    case 'bad-json':
      response.writeHead(status, json).end('{"code":0,"message":"Success","data":{"session_')
      return status
    case 'wrong-shape':
      response.writeHead(status, json).end('{"ok":true,"items":[1,2,3]}')
      return status
    case 'empty':
      response.writeHead(status, json).end()
      return status
    case 'html':
      response
        .writeHead(status, { 'content-type': 'text/html' })
        .end('<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>')
      return status
    case 'redirect':
      response.writeHead(status, { location }).end()
      return status
    case 'oversized':
      response.writeHead(status, json)
      sendBytes(response, bytes)
      return status
    case 'endless': {
      response.writeHead(status, json)
      const drip = setInterval(() => response.write(' '), DRIP_MS)
      drip.unref()
      response.once('close', () => clearInterval(drip))
      return status
    }
    default:
      return kind satisfies never
  }
}

/** So many blanks and a JSON value behind them, at the pace of the reader. */
function sendBytes(response: ServerResponse, bytes: number): void {
  let left = bytes
  const pump = (): void => {
    while (left > 0 && !response.destroyed) {
      const chunk = CHUNK.subarray(0, Math.min(left, CHUNK.length))
      left -= chunk.length
      if (!response.write(chunk)) {
        response.once('drain', pump)
        return
      }
    }
    if (!response.destroyed) response.end('{}')
  }
  pump()
}

import type { ServerResponse } from 'node:http'
import type { MalformedKind, MalformedOptions } from './faults.js'

const OVERSIZED_BYTES = 16 * 1_024 * 1_024
const CHUNK = Buffer.alloc(64 * 1_024, ' ')
const DRIP_MS = 20

/** Sends an answer that is none. Returns its status. */
export function sendMalformed(
  response: ServerResponse,
  kind: MalformedKind,
  { status = 200, bytes = OVERSIZED_BYTES, location = '/redirected' }: MalformedOptions,
): number {
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
    case 'html': {
      const proxyStatus = status === 200 ? 502 : status
      response
        .writeHead(proxyStatus, { 'content-type': 'text/html' })
        .end('<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>')
      return proxyStatus
    }
    case 'redirect': {
      const redirectStatus = status === 200 ? 302 : status
      response.writeHead(redirectStatus, { location }).end()
      return redirectStatus
    }
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

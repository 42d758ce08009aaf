import type { ServerResponse } from 'node:http'
import type { EncodedResponse } from '../core/request/http.js'

const CHUNK = Buffer.alloc(64 * 1_024, ' ')

/** Sends a response of the core. Throws if HTTP cannot send its head. */
export function writeResponse(response: ServerResponse, { status, headers, body }: EncodedResponse): void {
  response.writeHead(status, headers)
  switch (body.type) {
    case 'text':
      response.end(body.text)
      return
    case 'part':
      response.write(body.text, () => response.destroy())
      return
    case 'spaces':
      writeSpaces(response, body.count)
      return
    case 'endless': {
      const timer = setInterval(() => response.write(' '), body.everyMs)
      timer.unref()
      response.once('close', () => clearInterval(timer))
      return
    }
    default:
      body satisfies never
  }
}

function writeSpaces(response: ServerResponse, count: number): void {
  let left = count
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

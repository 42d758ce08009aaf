import type { IncomingMessage } from 'node:http'
import type { IncomingBody } from '../../front/http/IncomingRequest.js'

/** Returns the body as a stream, or as a parser of the host left it in `req.body`. */
export function nodeBody(req: IncomingMessage & { readonly body?: unknown }): IncomingBody {
  let parsed: unknown
  try {
    parsed = withText(req.body)
  } catch {
    // On Vercel it is a getter, which throws if the body is not the JSON that it should be.
    return { state: 'consumed' }
  }
  if (parsed !== undefined && !isPassedOver(parsed, req)) return { state: 'parsed', value: parsed }
  // The stream has already ended, or its reader has closed it: waiting for its `end` would never finish.
  if (req.readableEnded || req.destroyed) return { state: 'consumed' }
  return { state: 'stream', begun: req.readableDidRead, read: (maxBytes) => readText(req, maxBytes) }
}

/** `express.raw()` leaves bytes; other hosts leave them in a view or a buffer that is no `Buffer`. */
function withText(body: unknown): unknown {
  if (ArrayBuffer.isView(body) && body.byteLength > 0)
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  return body instanceof ArrayBuffer && body.byteLength > 0 ? Buffer.from(body).toString() : body
}

/** Some parsers set an empty object for a body that they did not read, or that other code has read before. */
function isPassedOver(parsed: unknown, req: IncomingMessage): boolean {
  const isEmpty = typeof parsed === 'object' && parsed !== null && Object.keys(parsed).length === 0
  return isEmpty && (!req.readableDidRead || Number(req.headers['content-length']) > '{}'.length)
}

/** Never resolves if the client closes the connection: then the response's `close` cancels the request. */
function readText(req: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (data: Buffer | string): void => {
      // Chunks are strings if the host has set an encoding.
      const chunk = typeof data === 'string' ? Buffer.from(data) : data
      bytes += chunk.length
      if (bytes <= maxBytes) return void chunks.push(chunk)
      // The rest is not read. The connection is closed after the response.
      req.off('data', onData)
      req.pause()
      resolve(undefined)
    }
    req.on('data', onData)
    req.on('end', () => {
      resolve(chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString())
    })
  })
}

import { Readable } from 'node:stream'
import type { RequestHandler } from 'express'

/**
 * Makes a handler of Express from one that takes a `Request`, and the address at the other end of its socket.
 * Mount it before a parser: it reads the body itself.
 */
export function fetchRoute(
  handle: (request: Request, address: string | undefined) => Response | Promise<Response>,
): RequestHandler {
  return (req, res, next) => {
    const headers = new Headers()
    for (const [name, value = []] of Object.entries(req.headers))
      for (const one of [value].flat()) headers.append(name, one)
    const body = Readable.toWeb(req) as ReadableStream
    // The types of Node's `fetch` do not know `duplex`.
    const init = { method: req.method, headers, body, duplex: 'half' } as RequestInit
    // Express 4 does not pass on a rejected promise.
    void (async () => {
      const request = new Request(`http://localhost${req.originalUrl}`, init)
      const response = await handle(request, req.socket.remoteAddress)
      res.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
    })().catch(next)
  }
}

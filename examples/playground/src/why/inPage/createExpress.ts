import type { Request as ExpressRequest, RequestHandler, Response as ExpressResponse, Router } from 'express'

const requests = new WeakMap<object, Request>()

/** The request of the page behind one of Express. */
export function requestOf(req: ExpressRequest): Request {
  const request = requests.get(req)
  if (!request) throw new Error('Failed to find the request: it is not one of this page.')
  return request
}

/** As much of Express as the routes by hand use. Express itself runs on Node only. */
export function createExpress(mount: (app: Router) => void): { fetch(request: Request): Promise<Response> } {
  const handlers = new Map<string, RequestHandler>()
  const add = (method: string) => (path: string, handler: RequestHandler) =>
    handlers.set(`${method} ${path}`, handler)
  // The cast: of a router only these are used.
  mount({ get: add('GET'), post: add('POST') } as unknown as Router)

  return {
    fetch: (request) =>
      new Promise((resolve, reject) => {
        const { pathname, searchParams } = new URL(request.url)
        const handler = handlers.get(`${request.method} ${pathname}`)
        if (!handler) return resolve(new Response(null, { status: 404 }))
        let status = 200
        const req = { query: Object.fromEntries(searchParams) }
        requests.set(req, request)
        const res = {
          status(code: number) {
            status = code
            return res
          },
          json: (body: unknown) => resolve(Response.json(body, { status })),
          sendStatus: (code: number) => resolve(new Response(null, { status: code })),
        }
        // The casts: of both, only these are used.
        const done = handler(req as unknown as ExpressRequest, res as unknown as ExpressResponse, reject)
        Promise.resolve(done).catch(reject)
      }),
  }
}

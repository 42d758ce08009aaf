import type { IncomingRequest } from './http/IncomingRequest.js'
import { routeAtEnd } from './routes/matchRoute.js'

/**
 * Returns the path below the mount path, without the query. `undefined` if the request is outside of
 * `basePath`.
 */
export function readPath(request: IncomingRequest, basePath: string | undefined): string | undefined {
  if (basePath === undefined) return withoutQuery(request.url)
  const path = withoutQuery(request.urlFromRoot)
  if (path === basePath) return ''
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined
}

/**
 * Describes the problem if a path matches no route, probably because of the mount path: the path is outside
 * of `basePath`, or it ends with a route and `basePath` is missing. The sentence contains only the part
 * before the route, and nothing else of the path.
 */
export function mountProblem(
  request: IncomingRequest,
  basePath: string | undefined,
  path: string | undefined,
): string | undefined {
  const whole = withoutQuery(request.urlFromRoot)
  const end = routeAtEnd(whole) ?? (whole.endsWith('/health') ? '/health' : undefined)
  const prefix = end === undefined ? '' : whole.slice(0, -end.length)
  const plain = PLAIN_PATH.test(prefix) ? prefix : undefined
  if (path === undefined) {
    const seen = plain === undefined ? '' : ` It looks like a route below "${plain}".`
    return `A request came to a path outside of the option "basePath", which is "${basePath}".${seen} Set "basePath" to the path of the routes from the root of the server.`
  }
  if (plain === undefined || plain === basePath) return undefined
  return `A request came to a route below "${plain}", but the BFF is not mounted there. Set the option "basePath" to "${plain}", or mount the BFF at that path.`
}

const AT_ROOT =
  "This is the BFF of Stagepass. Every request to this server reaches it, even requests for pages. Mount it under its own path, such as app.use('/api/voice', bff).\n"

/** Returns a text for a browser that opens a page, if the BFF is mounted at the root of the server. */
export function rootProblem(request: IncomingRequest, basePath: string | undefined): string | undefined {
  const isAtRoot = basePath === undefined && request.url === request.urlFromRoot
  const isNavigation = request.method === 'GET' && request.header('accept')?.includes('text/html') === true
  return isAtRoot && isNavigation ? AT_ROOT : undefined
}

const PLAIN_PATH = /^\/[\w./~-]{1,99}$/

function withoutQuery(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}

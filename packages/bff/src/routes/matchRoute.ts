import { handshakeCheck } from './handshakeCheck.js'
import { meeting, meetings, tags } from './meetings.js'
import type { Route } from './Route.js'
import { usage, usageReport } from './usage.js'
import { sessionToken } from './sessionToken.js'

/** Every route behind the gate. `GET /health` is not one of them: it holds nothing secret. */
export const ROUTES: readonly Route[] = [
  sessionToken,
  meetings,
  meeting,
  tags,
  handshakeCheck,
  usage,
  usageReport,
]

interface Match {
  /** The route of this method, or the first of the path. */
  readonly route: Route
  /** The methods of the path. */
  readonly methods: readonly string[]
  readonly encodedId: string
}

/**
 * The route of a path, also for another method. Paths are compared as they arrived: encoded letters and
 * doubled slashes make other paths.
 */
export function matchRoute(path: string, method: string): Match | undefined {
  let encodedId = ''
  const routes = ROUTES.filter((route) => {
    if (route.path === path) return true
    if (!route.path.endsWith('/:id')) return false
    const parent = route.path.slice(0, -':id'.length)
    const rest = path.startsWith(parent) ? path.slice(parent.length) : ''
    if (rest === '' || rest.includes('/')) return false
    encodedId = rest
    return true
  })
  const route = routes.find((candidate) => candidate.method === method) ?? routes[0]
  return route && { route, methods: routes.map((candidate) => candidate.method), encodedId }
}

import { handshakeCheck } from './handshakeCheck.js'
import { meeting, meetings, tags } from './meetings.js'
import type { Route } from './Route.js'
import { sessionToken } from './sessionToken.js'
import { usage, usageReport } from './usage.js'

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
  readonly route: Route
  /** The part of the path in place of `:id`; empty for a route without one. */
  readonly encodedId: string
  /** The methods of the path, if the one that was asked for is none of them. */
  readonly otherMethods?: readonly string[]
}

/**
 * The route of a path, also for another method. Paths are compared as they arrived: encoded letters and
 * doubled slashes make other paths.
 */
export function matchRoute(path: string, method: string): Match | undefined {
  const [, encodedId = ''] = /^\/meetings\/([^/]+)$/.exec(path) ?? []
  const routes = ROUTES.filter((route) => route.path === (encodedId === '' ? path : meeting.path))
  const [first] = routes
  if (!first) return undefined
  const route = routes.find((one) => one.method === method)
  if (route) return { route, encodedId }
  return { route: first, encodedId, otherMethods: routes.map((one) => one.method) }
}

import { BFF_ROUTES, type BffRouteName, codesOf } from '@stagepass/contract'
import { handshakeCheck } from './handshakeCheck.js'
import { meeting, meetings, tags } from './meetings.js'
import type { Route } from './Route.js'
import { sessionToken } from './sessionToken.js'
import { session, sessionRelease, sessionRenewal } from './sessions.js'
import { usage, usageReport } from './usage.js'
import { vitals } from './vitals.js'

const ROUTE_OF: Readonly<Record<BffRouteName, Route>> = {
  'session-token': sessionToken,
  meetings,
  meeting,
  tags,
  'handshake-check': handshakeCheck,
  usage,
  'usage-report': usageReport,
  vitals,
  session,
  'session-renewal': sessionRenewal,
  'session-release': sessionRelease,
}

/** Every route behind the gate. `GET /health` is not behind it, because its response contains no secret. */
export const ROUTES: readonly NamedRoute[] = codesOf(BFF_ROUTES).map((name) => ({
  name,
  ...BFF_ROUTES[name],
  ...ROUTE_OF[name],
}))

type NamedRoute = Route & (typeof BFF_ROUTES)[BffRouteName] & { readonly name: BffRouteName }

const ENDS = ROUTES.map(({ path }) => path).filter((path) => !path.includes(':'))

/**
 * Returns the route at the end of a path whose mount path is not known. A mount path may end with `/meetings`
 * too. So `/meetings/tags` is the route `/tags`, and not the meeting with the id `tags`: the service makes
 * the ids, and none is the name of a route.
 */
export function routeAtEnd(path: string): string | undefined {
  return ENDS.find((end) => path.endsWith(end)) ?? /\/(?:meetings|sessions)\/[^/]+$/.exec(path)?.[0]
}

interface Match {
  readonly route: NamedRoute
  /** The part of the path for `:id`. Empty for a route without `:id`. */
  readonly encodedId: string
  /** The methods of the path, if the requested method is not one of them. */
  readonly otherMethods?: readonly string[]
}

/**
 * Finds the route of a path, even if the method is wrong. Paths are compared as they arrived: a path with
 * encoded letters or double slashes is a different path.
 */
export function matchRoute(path: string, method: string): Match | undefined {
  const [, folder, encodedId = ''] = /^(\/(?:meetings|sessions))\/([^/]+)$/.exec(path) ?? []
  const wanted = folder === undefined ? path : `${folder}/:id`
  const routes = ROUTES.filter((route) => route.path === wanted)
  const [first] = routes
  if (!first) return undefined
  const route = routes.find((one) => one.method === method)
  if (route) return { route, encodedId }
  return { route: first, encodedId, otherMethods: routes.map((one) => one.method) }
}

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
  readonly route: Route
  readonly encodedId: string
  /** The methods of the path, if the one that was asked for is none of them. */
  readonly otherMethods?: readonly string[]
}

/** The part of the path in place of `:id`; empty for a route without one. `undefined`: another path. */
function idIn(path: string, route: Route): string | undefined {
  if (route.path === path) return ''
  if (!route.path.endsWith('/:id')) return undefined
  const parent = route.path.slice(0, -':id'.length)
  const encodedId = path.startsWith(parent) ? path.slice(parent.length) : ''
  return encodedId !== '' && !encodedId.includes('/') ? encodedId : undefined
}

/**
 * The route of a path, also for another method. Paths are compared as they arrived: encoded letters and
 * doubled slashes make other paths.
 */
export function matchRoute(path: string, method: string): Match | undefined {
  let other: Match | undefined
  for (const route of ROUTES) {
    const encodedId = idIn(path, route)
    if (encodedId === undefined) continue
    if (route.method === method) return { route, encodedId }
    other = { route, encodedId, otherMethods: [...(other?.otherMethods ?? []), route.method] }
  }
  return other
}

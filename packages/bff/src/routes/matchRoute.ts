import { handshakeCheck } from './handshakeCheck.js'
import { meeting, meetings, tags } from './meetings.js'
import type { Route } from './Route.js'
import { sessionToken } from './sessionToken.js'

/** Every route behind the gate. `GET /health` is not one of them: it holds nothing secret. */
export const ROUTES: readonly Route[] = [sessionToken, meetings, meeting, tags, handshakeCheck]

/**
 * The route of a path, for any method. Paths are compared as they arrived: encoded letters and doubled
 * slashes make other paths.
 */
export function matchRoute(path: string): { readonly route: Route; readonly encodedId: string } | undefined {
  for (const route of ROUTES) {
    if (route.path === path) return { route, encodedId: '' }
    if (!route.path.endsWith('/:id')) continue
    const parent = route.path.slice(0, -':id'.length)
    const encodedId = path.startsWith(parent) ? path.slice(parent.length) : ''
    if (encodedId !== '' && !encodedId.includes('/')) return { route, encodedId }
  }
  return undefined
}

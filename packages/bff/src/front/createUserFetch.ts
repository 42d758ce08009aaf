import { USER_HEADER } from '@stagepass/contract'
import { BffError, isBffError } from '../base/BffError.js'
import type { Run } from '../desk/createRun.js'
import type { Services } from '../desk/Services.js'
import type { CheckedGrant } from '../grant/readGrant.js'
import { requireUser } from './authorizeRequest.js'
import type { OutgoingResponse } from './http/OutgoingResponse.js'
import { readQuery } from './http/readQuery.js'
import { deadlineHeaders, problemResponse, resultResponse } from './http/responses.js'
import { matchRoute, routeAtEnd } from './routes/matchRoute.js'

/** The headers that have a meaning without HTTP. */
interface GivenHeaders {
  get(name: string): string | null
}

/**
 * The `fetch` of one user: it answers the GET routes in this process, with the same responses. It takes the
 * addresses of a voice client, and nothing of a request from outside.
 */
export function createUserFetch(grant: CheckedGrant, run: Run, services: Services): typeof globalThis.fetch {
  const deadline = deadlineHeaders(services.settings)
  const toResponse = ({ status, headers, body }: OutgoingResponse): Response =>
    new Response(body, { status, headers: { ...headers, ...deadline } })
  const answer = (url: string, method: string, headers: GivenHeaders, signal: AbortSignal | undefined) => {
    const match = matchRoute(routePath(url, services.settings.basePath), method)
    const request = {
      header: (name: string) => (name === 'cache-control' ? (headers.get(name) ?? undefined) : undefined),
      body: () => ({ state: 'consumed' }) as const,
    }
    return run({ grant, operation: match?.route.name ?? 'unknown', method, signal }, async (caller) => {
      requireUser(headers.get(USER_HEADER) ?? undefined, grant)
      if (!match) throw new BffError('NOT_FOUND', { seen: { cause: 'route' } })
      const { route, otherMethods, encodedId } = match
      // The data of a rendered page is in its HTML, and must not contain a token.
      if (otherMethods || method !== 'GET')
        throw new BffError('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET' } })
      const query = readQuery(url, route.query)
      const { json, shared } = await route.respond({ request, caller, query, encodedId }, services)
      caller.context.shared = shared
      return json
    })
  }

  return async (input, init = {}) => {
    if (typeof input !== 'string' && !(input instanceof URL))
      throw new TypeError(
        'Failed to answer: fetch of as(grant) got a Request. It takes the address of a route, as a voice client sends it. For a request of a browser, call the BFF itself.',
      )
    const [url = ''] = String(input).split('#')
    const headers = new Headers(init?.headers)
    try {
      const json = await answer(url, init?.method ?? 'GET', headers, init?.signal ?? undefined)
      return toResponse(resultResponse(json))
    } catch (error) {
      if (!isBffError(error)) throw error
      return toResponse(problemResponse(error, error.requestId, services.settings))
    }
  }
}

/**
 * The path below the mount path. The client of a server has the `url` of the page, with or without an origin.
 */
function routePath(url: string, basePath: string | undefined): string {
  const [path = ''] = url.replace(/^[a-z]+:\/\/[^/?]*/i, '').split('?')
  if (basePath !== undefined && path.startsWith(`${basePath}/`)) return path.slice(basePath.length)
  return routeAtEnd(path) ?? path
}

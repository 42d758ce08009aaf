import type { RequestContext } from '../../request/RequestContext.js'
import type { LimitName } from '../../usage/limits.js'
import type { CheckedGrant } from '../../grant/readGrant.js'
import type { Pages } from '../../meetings/createPages.js'
import type { IncomingRequest } from '../http/IncomingRequest.js'
import type { QueryValues } from '../http/readQuery.js'
import type { Settings } from '../../settings/readOptions.js'
import type { Upstream } from '../../upstream/createUpstream.js'
import type { Usage } from '../../usage/createUsage.js'

/** A request that has passed the gate. */
export interface RouteRequest {
  readonly request: IncomingRequest
  readonly context: RequestContext
  readonly grant: CheckedGrant
  readonly query: QueryValues
  /** The part of the path for `:id`, still encoded. */
  readonly encodedId: string
}

export interface Services {
  readonly settings: Settings
  readonly upstream: Upstream
  readonly pages: Pages
  readonly usage: Usage
}

/** The body of a 200. */
export interface RouteResult {
  /** JSON text, so that a shared result is converted to text only once. */
  readonly json: string
  /** True if it used the upstream request of another request. */
  readonly shared?: boolean | undefined
}

/** A route of the BFF. All routes are listed in `matchRoute.ts`, and are behind the gate. */
export interface Route {
  /** Name in events. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** The limit of the user for which every request counts, also a refused one. */
  readonly limit: LimitName
  /** Relative to the mount path. The last part may be `:id`. */
  readonly path: `/${string}`
  /** Allowed names in the query. */
  readonly query: readonly string[]
  respond(request: RouteRequest, services: Services): Promise<RouteResult>
}

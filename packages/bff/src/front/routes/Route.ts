import type { Caller } from '../../desk/Caller.js'
import type { Services } from '../../desk/Services.js'
import type { IncomingRequest } from '../http/IncomingRequest.js'
import type { QueryValues } from '../http/readQuery.js'

/** A request that has passed the gate. */
interface RouteRequest {
  readonly request: Pick<IncomingRequest, 'header' | 'body'>
  readonly caller: Caller
  readonly query: QueryValues
  /** The part of the path for `:id`, still encoded. */
  readonly encodedId: string
}

interface RouteResult {
  /**
   * The body of a 200: JSON text, so that a shared result is converted to text only once. Without it the
   * response is 204.
   */
  readonly json?: string | undefined
  /** Of the response with `json`. Default 200. */
  readonly status?: 202 | undefined
  /** True if it used the upstream request of another request. */
  readonly shared?: boolean | undefined
}

/**
 * What a route does: it reads a request, calls a function of the desk, and writes its result as JSON. Its
 * method and path are in `BFF_ROUTES` of the contract.
 */
export interface Route {
  /** Allowed names in the query. */
  readonly query: readonly string[]
  respond(request: RouteRequest, services: Services): Promise<RouteResult>
}

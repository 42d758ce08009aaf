import type { TokenFault } from '../../base/TokenFault.js'
import type { HostRequest } from './HostRequest.js'

/** A login that was there, but is not valid. */
export interface RefusedLogin {
  readonly reason: TokenFault
  /** The cause and a remedy. It contains no part of the token but the names of its issuer and audience. */
  readonly problem: string
}

/** What the response to a request without a user has, beside its status. */
export interface Refusal {
  /** The value of `WWW-Authenticate`. A response with 401 must have one. (RFC 9110, 15.5.2.) */
  readonly challenge: string
  readonly login?: RefusedLogin | undefined
}

/**
 * A function for `authorize` may have a method with this name, which returns the `Refusal` of a request that
 * it refused. A symbol of the registry, because the package has several builds.
 */
const REFUSAL = Symbol.for('stagepass.refusal')

/** Not a scheme that a browser knows, because for those it opens a window. */
const SESSION = 'Session realm="stagepass"'

export const withRefusal = <TAuthorize extends (request: HostRequest) => unknown>(
  authorize: TAuthorize,
  refusal: (request: HostRequest) => Refusal,
): TAuthorize => Object.assign(authorize, { [REFUSAL]: refusal })

/** Returns the refusal of a request for which `authorize` returned no grant. */
export function refusalOf(authorize: object, request: unknown): Refusal {
  const refusal: unknown = Reflect.get(authorize, REFUSAL)
  return typeof refusal === 'function' ? (refusal(request) as Refusal) : { challenge: SESSION }
}

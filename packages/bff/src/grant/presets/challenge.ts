import type { HostRequest } from './HostRequest.js'

/**
 * A function for `authorize` may have a method with this name, which returns the value of `WWW-Authenticate`
 * for a request that it refused. A symbol of the registry, because the package has several builds.
 */
const CHALLENGE = Symbol.for('stagepass.challenge')

/** Not a scheme that a browser knows, because for those it opens a window. */
const SESSION = 'Session realm="stagepass"'

export const withChallenge = <TAuthorize extends (request: HostRequest) => unknown>(
  authorize: TAuthorize,
  challenge: (request: HostRequest) => string,
): TAuthorize => Object.assign(authorize, { [CHALLENGE]: challenge })

/** Returns the challenge of a response with 401, which must have one. (RFC 9110, 15.5.2.) */
export function challengeOf(authorize: object, request: unknown): string {
  const challenge: unknown = Reflect.get(authorize, CHALLENGE)
  return typeof challenge === 'function' ? String(challenge(request)) : SESSION
}

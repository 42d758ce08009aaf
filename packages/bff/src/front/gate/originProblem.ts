import { BFF_ERRORS, hintText } from '@stagepass/contract'
import type { IncomingRequest } from '../http/IncomingRequest.js'
import type { Settings } from '../../settings/readOptions.js'
import type { ListedOrigin } from './listedOrigin.js'
import { seenByGate } from './seenByGate.js'

/**
 * The problem of a request without a user. Anyone can send one with any `Origin`. So it has none: invented
 * ones would use up the event, and an operator could copy one into an option.
 */
export const ORIGIN_OF_A_STRANGER =
  'A request says that a page of this site sent it, but its Origin is not the origin of this server. If pages of this site get 403, set "origin" to what their address bar shows, or "trust proxy" in Express. Do not copy an origin from a request of a stranger.'

/**
 * The hint of a wrong `Origin`, if this server's own origin is probably wrong: a page of this site sent the
 * request, but with a different `Origin`. Signs of this are `Sec-Fetch-Site`, an equal host name, or the
 * headers of a proxy. The result is only for the text of an event; it never lets a request pass.
 */
export function originProblem(
  request: IncomingRequest,
  settings: Pick<Settings, 'origin'>,
  { listed }: ListedOrigin,
): string | undefined {
  const origin = request.header('origin')
  if (origin === undefined || listed !== undefined) return undefined
  const own = settings.origin ?? request.ownOrigin()
  if (origin === own || !PLAIN_ORIGIN.test(origin)) return undefined
  const site = request.header('sec-fetch-site')
  const isOwnPage =
    site === 'same-origin' ||
    (site === undefined && (hostName(origin) === hostName(own) || origin === forwardedOrigin(request)))
  return isOwnPage
    ? hintText(BFF_ERRORS.CROSS_SITE_BLOCKED.hint, seenByGate(request, 'origin', settings))
    : undefined
}

const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]{1,100}$/

function hostName(origin = ''): string {
  return origin.replace(/^\w+:\/\//, '').replace(/:\d+$/, '')
}

function forwardedOrigin(request: IncomingRequest): string {
  const host = request.header('x-forwarded-host') ?? request.header('host')
  return `${request.header('x-forwarded-proto')}://${host}`
}

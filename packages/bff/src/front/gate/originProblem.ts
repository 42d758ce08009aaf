import type { IncomingRequest } from '../http/IncomingRequest.js'
import type { Settings } from '../../settings/readOptions.js'
import type { ListedOrigin } from './listedOrigin.js'

/**
 * Describes the problem if this server's own origin is probably wrong: a page of this site sent the request,
 * but with a different `Origin`. Signs of this are `Sec-Fetch-Site`, an equal host name, or the headers of a
 * proxy. The result is only for the text of an event; it never lets a request pass.
 */
export function originProblem(
  request: IncomingRequest,
  { origin: configured }: Pick<Settings, 'origin'>,
  { listed }: ListedOrigin,
): string | undefined {
  const origin = request.header('origin')
  if (origin === undefined || listed !== undefined) return undefined
  const own = configured ?? request.ownOrigin()
  if (origin === own || !PLAIN_ORIGIN.test(origin)) return undefined
  const site = request.header('sec-fetch-site')
  const isOwnPage =
    site === 'same-origin' ||
    (site === undefined && (hostName(origin) === hostName(own) || origin === forwardedOrigin(request)))
  if (!isOwnPage) return undefined
  const sent = `A page of ${origin} sent a request, and`
  if (configured !== undefined)
    return `${sent} the option "origin" is ${configured}. If browsers use ${origin}, set "origin" to it, or list it in "allowedOrigins". Its requests get 403 until then.`
  const seen = own !== undefined && PLAIN_ORIGIN.test(own) ? own : 'unknown'
  return `${sent} the origin of this server is ${seen}. If both are one site, a proxy hides its address: set the option "origin" to the address that browsers use, or "trust proxy" in Express. Browsers without Sec-Fetch-Site get 403 until then.`
}

const PLAIN_ORIGIN = /^https?:\/\/[\w.:[\]-]{1,100}$/

function hostName(origin = ''): string {
  return origin.replace(/^\w+:\/\//, '').replace(/:\d+$/, '')
}

function forwardedOrigin(request: IncomingRequest): string {
  const host = request.header('x-forwarded-host') ?? request.header('host')
  return `${request.header('x-forwarded-proto')}://${host}`
}

import type { GateReason } from '../events/events.js'

/** The check of the gate that refused a request, or `authorize`. */
export type Refusal = GateReason | 'authorize'

/**
 * Cause and remedy of each refusal, for the log and for the header `x-stagepass-reason`. Only ASCII, because
 * a header cannot contain more.
 */
export const REFUSALS: Readonly<Record<Refusal, string>> = {
  header:
    'The header "x-stagepass: 1" is missing. Use the hooks of @stagepass/react, or send the header with each request. A proxy must not remove it.',
  'fetch-site':
    'Sec-Fetch-Site says that the request came from a page of another site, or not from a page. Serve page and BFF under one origin (in development with the proxy of the dev server), or list the origin of the page in "allowedOrigins".',
  origin:
    'Origin is neither the origin of this server nor one of "allowedOrigins". Serve page and BFF under one origin (in development with the proxy of the dev server), or list the origin of the page in "allowedOrigins".',
  'cookie-without-origin':
    'A request with a cookie and a method other than GET has neither Sec-Fetch-Site nor Origin. A browser sends one of them. In another client, send the origin of the page as Origin.',
  authorize:
    '"authorize" returned no grant. Sign in first. If you are signed in, check that the page sends the cookie or header of the login, and that "authorize" reads it.',
}

/**
 * True in development, in which the BFF may give more details: `NODE_ENV` can be read and is not
 * `production`. It is read each time, because a dev server may set it later.
 */
export function isDevelopment(): boolean {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }
  return process?.env !== undefined && process.env['NODE_ENV'] !== 'production'
}

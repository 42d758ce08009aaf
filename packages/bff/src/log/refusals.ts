import type { GateReason } from '../events/events.js'

/** Which check refused a request that got no further than the gate or `authorize`. */
export type Refusal = GateReason | 'authorize'

/**
 * What a developer should know of each, and do: for the log and for the header `x-stagepass-reason`. Only
 * ASCII fits into a header.
 */
export const REFUSALS: Readonly<Record<Refusal, string>> = {
  header:
    'The header "x-stagepass: 1" is missing. Use the hooks of @stagepass/react, or send the header with each request; a proxy must pass it on.',
  'fetch-site':
    'By Sec-Fetch-Site the request comes from a page of another site, or from no page. Serve page and BFF under one origin (in development by a proxy of the dev server), or list the origin of the page in "allowedOrigins".',
  origin:
    'Origin is neither the origin of this server nor one of "allowedOrigins". Serve page and BFF under one origin (in development by a proxy of the dev server), or list the origin of the page in "allowedOrigins".',
  'cookie-without-origin':
    'A request with a cookie and another method than GET has neither Sec-Fetch-Site nor Origin. A browser sends one of them; with another client, send the origin of the page as Origin.',
  authorize:
    '"authorize" returned no grant. Sign in first; if you have, check that the page sends the cookie or header of the login, and that "authorize" reads it.',
}

/**
 * True if the BFF may say more to the developer than to anyone else: `NODE_ENV` can be read and is not
 * `production`. Read it each time: a dev server may set it later.
 */
export function isDevelopment(): boolean {
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }
  return process?.env !== undefined && process.env['NODE_ENV'] !== 'production'
}

import { checkAddress } from '@stagepass/contract'
import { refuse } from './refuse.js'

/**
 * An address of the upstream: encrypted, or on loopback. `added`: the paths that the BFF itself puts behind
 * it. An address that ends in one was copied from the description of an endpoint.
 */
export function readUrl(
  name: string,
  value: string | undefined,
  scheme: 'https' | 'wss',
  added: readonly string[],
): URL {
  const url = checkAddress(parseUrl(value), scheme, (problem, remedy) =>
    value
      ? refuse(`"${name}" ${problem}`, remedy)
      : refuse(`"${name}" is missing`, `${remedy}; is its environment variable set?`),
  )
  const path = withoutLastSlash(url.pathname)
  const twice = added.map(withoutLastSlash).find((end) => end !== '' && path.endsWith(end))
  if (twice !== undefined) refuse(`"${name}" ends in ${twice}`, 'Take that out: the BFF adds it')
  return url
}

export const withoutLastSlash = (path: string): string => path.replace(/\/+$/, '')

function parseUrl(value: unknown): URL | undefined {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
}

function parseWebUrl(value: unknown): URL | undefined {
  const url = parseUrl(value)
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined
}

/**
 * The origin of a page, as browsers write it. A pattern would never match, nor would a name with a last dot.
 */
const isOrigin = (value: unknown): boolean =>
  parseWebUrl(value)?.origin === value && !/\*|\.(?::\d+)?$/.test(String(value))

/** Exact origins, as browsers write them: any other form would never match. */
export function readOrigins(origins: readonly string[] = []): ReadonlySet<string> {
  const remedy = 'List exact origins, such as https://app.example.com, without "*" and without a last dot'
  if (!Array.isArray(origins)) refuse('"allowedOrigins" is not a list', remedy)
  if (!origins.every(isOrigin)) refuse('"allowedOrigins" holds something that is not an origin', remedy)
  return new Set(origins)
}

/** The origin of this server, as browsers write it. */
export function readOrigin(value: string): string {
  if (!isOrigin(value))
    refuse(
      '"origin" is not an origin',
      "Use what the browser's address bar shows, without a path: https://app.example.com",
    )
  return value
}

/** The path of the mount without its last slash: empty for the root. */
export function readBasePath(value: string): string {
  const isPath = typeof value === 'string' && /^(?:\/[\w.~!$&'(),;=@%+-]+)*\/?$/.test(value)
  if (!isPath || value === '' || /\/\.\.?(?:\/|$)/.test(value))
    refuse(
      '"basePath" is not a path',
      'Use the path of the routes from the root of the server, without a wildcard: /api/voice',
    )
  return withoutLastSlash(value)
}

/** The address of the page of error codes. */
export function readDocsUrl(value: string): string {
  const url = parseWebUrl(value)
  if (!url || url.hash)
    refuse('"errorDocsUrl" is not the address of a page', 'Use one such as https://example.com/voice-errors')
  return url.href
}

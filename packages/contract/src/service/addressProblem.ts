const USE = { https: 'HTTP requests', wss: 'WebSockets' } as const
const OPEN = { https: 'http', wss: 'ws' } as const

/** True for a host name of this machine, as written in a URL. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/**
 * Checks an address to which a secret is sent. Returns the end of an error message, with a remedy and without
 * any part of the address. Returns `undefined` if the address is encrypted or on loopback. `url` is a `URL`,
 * for which this package has no type, or `undefined` if the address could not be parsed.
 */
export function addressProblem(
  url:
    | Readonly<Record<'protocol' | 'hostname' | 'username' | 'password' | 'search' | 'hash', string>>
    | undefined,
  scheme: 'https' | 'wss',
): string | undefined {
  const example = `such as ${scheme}://api.example.com (${OPEN[scheme]}: only on loopback)`
  if (!url)
    return `is missing, or is not an absolute address. Use one ${example}; is its environment variable set?`
  if (url.username || url.password) return 'contains a user name or password. Remove them.'
  if (url.search || url.hash) return 'contains a query or fragment. Remove it.'
  const other = scheme === 'https' ? 'wss' : 'https'
  for (const [wrong, right] of [
    [other, scheme],
    [OPEN[other], OPEN[scheme]],
  ] as const)
    if (url.protocol === `${wrong}:`)
      return `begins with ${wrong}:. For ${USE[scheme]}, use ${right}: instead.`
  const isOpen = url.protocol === `${OPEN[scheme]}:` && isLoopback(url.hostname)
  return url.protocol === `${scheme}:` || isOpen ? undefined : `is not encrypted. Use an address ${example}.`
}

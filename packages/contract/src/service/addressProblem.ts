const USE = { https: 'HTTP requests', wss: 'WebSockets' } as const
const OPEN = { https: 'http', wss: 'ws' } as const

/** True for the host name of this machine, as a URL writes it. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/**
 * What is wrong with an address to which a secret is sent, as the end of a sentence, and what to do.
 * `undefined`: it is encrypted, or on loopback. `url` is a `URL`, of which this package has no type;
 * `undefined`: it cannot be parsed. No part of the address is in the sentence.
 */
export function addressProblem(
  url:
    | Readonly<Record<'protocol' | 'hostname' | 'username' | 'password' | 'search' | 'hash', string>>
    | undefined,
  scheme: 'https' | 'wss',
): string | undefined {
  const example = `such as ${scheme}://api.example.com (${OPEN[scheme]}: on loopback only)`
  if (!url)
    return `is missing, or is not an absolute address. Use one ${example}; is its environment variable set?`
  if (url.username || url.password) return 'holds a user name or password. Take them out.'
  if (url.search || url.hash) return 'holds a query or fragment. Take it out.'
  const other = scheme === 'https' ? 'wss' : 'https'
  for (const [wrong, right] of [
    [other, scheme],
    [OPEN[other], OPEN[scheme]],
  ] as const)
    if (url.protocol === `${wrong}:`)
      return `begins with ${wrong}:. Write ${right}: in its place, for ${USE[scheme]}.`
  const isOpen = url.protocol === `${OPEN[scheme]}:` && isLoopback(url.hostname)
  return url.protocol === `${scheme}:` || isOpen ? undefined : `is not encrypted. Use an address ${example}.`
}

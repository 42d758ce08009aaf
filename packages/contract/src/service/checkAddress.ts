const USE = { https: 'HTTP requests', wss: 'WebSockets' } as const
const OPEN = { https: 'http', wss: 'ws' } as const

/** True for the host name of this machine, as a URL writes it. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/**
 * An address to which a secret is sent: encrypted, or on loopback. `url` is a `URL`, of which this package
 * has no type; `undefined`: it cannot be parsed. Calls `refuse` with what is wrong and what to do, which
 * throws an error of the caller; neither holds a part of the address.
 */
export function checkAddress<
  TUrl extends Readonly<
    Record<'protocol' | 'hostname' | 'username' | 'password' | 'search' | 'hash', string>
  >,
>(url: TUrl | undefined, scheme: 'https' | 'wss', refuse: (problem: string, remedy: string) => never): TUrl {
  const example = `Use an address such as ${scheme}://api.example.com (${OPEN[scheme]}: on loopback only)`
  if (!url) return refuse('is not an absolute address', example)
  if (url.username || url.password) refuse('holds a user name or password', 'Take them out')
  if (url.search || url.hash) refuse('holds a query or fragment', 'Take it out')
  const other = scheme === 'https' ? 'wss' : 'https'
  for (const [wrong, right] of [
    [other, scheme],
    [OPEN[other], OPEN[scheme]],
  ] as const)
    if (url.protocol === `${wrong}:`)
      refuse(`begins with ${wrong}:`, `Write ${right}: in its place, for ${USE[scheme]}`)
  const isOpen = url.protocol === `${OPEN[scheme]}:` && isLoopback(url.hostname)
  if (url.protocol !== `${scheme}:` && !isOpen) refuse('is not encrypted', example)
  return url
}

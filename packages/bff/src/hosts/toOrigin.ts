/**
 * Builds an origin in the form of browsers: in lower case and without a default port. A Host header may
 * differ in both.
 */
export function toOrigin(scheme: string, host: string | undefined): string | undefined {
  if (host === undefined || host === '') return undefined
  const defaultPort = scheme === 'https' ? ':443' : ':80'
  const short = host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host
  return `${scheme}://${short.toLowerCase()}`
}

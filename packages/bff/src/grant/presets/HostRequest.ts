/** The part that the requests of all hosts have in common. */
export interface HostRequest {
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
}

/** The headers of a request that say who is signed in. */
export const LOGIN_HEADERS = ['authorization', 'cookie'] as const

/** Reads a header of the page's request. */
export function readHeader(
  { headers }: HostRequest,
  name: (typeof LOGIN_HEADERS)[number],
): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

/** A plain record could have a header named `get`, but its value would be a text. */
function isHeaders(headers: HostRequest['headers']): headers is Headers {
  return typeof headers.get === 'function'
}

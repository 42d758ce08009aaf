/**
 * The application's headers, overridden by ours. A plain object, because jsdom under Jest has no `Headers`.
 * If a name occurs twice, the last value is used. No value: the header is not sent, and not as "null".
 */
export function mergeHeaders(
  given: HeadersInit | null | undefined,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = [...toEntries(given ?? {}), ...Object.entries(own)]
  const headers: Record<string, string> = {}
  for (const [name, value] of entries) if (value != null) headers[name.toLowerCase()] = value
  return headers
}

/** Pairs of name and value, from an array, a `Headers` or an object. */
export const toEntries = (given: object): Iterable<[string, string | null | undefined]> =>
  Symbol.iterator in given ? (given as Iterable<[string, string]>) : Object.entries(given)

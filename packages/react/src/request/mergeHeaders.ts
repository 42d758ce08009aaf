/**
 * The application's headers, and ours over them. A plain object, because jsdom under Jest has no `Headers`.
 * Of a name that is there twice, the last value counts.
 */
export function mergeHeaders(
  given: HeadersInit | undefined,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = [...toEntries(given), ...Object.entries(own)]
  const headers: Record<string, string> = {}
  for (const [name, value] of entries) if (value !== undefined) headers[name.toLowerCase()] = value
  return headers
}

/** Pairs of name and value: an array of them, or a `Headers`, which can be iterated. */
function toEntries(given: HeadersInit = {}): Iterable<[string, string | undefined]> {
  return Symbol.iterator in given ? (given as Iterable<[string, string]>) : Object.entries(given)
}

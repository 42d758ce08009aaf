/** The codings of a `Content-Encoding`, in the order in which they were applied. */
export const codingsOf = (encoding: string): string[] =>
  encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')

/** The codings that every `fetch` decodes. */
const DECODED = ['gzip', 'x-gzip', 'br', 'deflate']

/**
 * Returns the `Content-Encoding` of a response that `fetch` did not decode, as far as this can be seen.
 * `fetch` keeps the header of a body that it has decoded. It passes on a body whose coding it does not know,
 * and that body is not UTF-8.
 */
export function unreadEncoding(encoding: string | null, text: string): string | undefined {
  if (encoding === null || !text.includes('\ufffd')) return undefined
  return codingsOf(encoding).every((coding) => DECODED.includes(coding)) ? undefined : encoding
}

/** True for the error of a body that `fetch` cannot decode. Other errors are of the connection. */
export function isBrokenEncoding(error: unknown): boolean {
  const codes = [error, Reflect.get(Object(error), 'cause')].map((one) => Reflect.get(Object(one), 'code'))
  return codes.some((code) => typeof code === 'string' && /^(?:Z_|ERR__)|BROTLI|DECOMPRESS|ZLIB/.test(code))
}

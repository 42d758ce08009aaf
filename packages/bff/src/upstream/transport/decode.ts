import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, type InputType, type ZlibOptions } from 'node:zlib'
import { codingsOf } from '../../base/contentEncoding.js'

type Decoder = (bytes: InputType, options: Pick<ZlibOptions, 'maxOutputLength'>) => Promise<Buffer>

const unzip: Decoder = promisify(gunzip)
const unwrap: Decoder = promisify(inflate)
const unwrapRaw: Decoder = promisify(inflateRaw)
const unbrotli: Decoder = promisify(brotliDecompress)

/** "deflate" has a zlib header, but some servers leave it out. (RFC 9110, section 8.4.1.2.) */
const DEFLATED = 8
const undeflate = (bytes: Buffer, options: Parameters<Decoder>[1]): Promise<Buffer> =>
  ((bytes[0] ?? 0) & 0x0f) === DEFLATED ? unwrap(bytes, options) : unwrapRaw(bytes, options)

const DECODERS: Readonly<Record<string, typeof undeflate>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: unbrotli,
  deflate: undeflate,
}

/** A longer list is not a mistake of a server. Each coding costs up to `maxBytes` of memory. */
const MAX_CODINGS = 3

/**
 * Decodes a body. Returns `too-large` if it is longer than `maxBytes` after any of its codings, and
 * `unreadable` if a coding is unknown or the body is broken.
 */
export async function decode(
  body: Buffer,
  encoding: string,
  maxBytes: number,
): Promise<Buffer | 'too-large' | 'unreadable'> {
  const codings = codingsOf(encoding)
  if (codings.length > MAX_CODINGS) return 'unreadable'
  let bytes = body
  for (const coding of codings.toReversed()) {
    const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
    if (!decoder) return 'unreadable'
    try {
      bytes = await decoder(bytes, { maxOutputLength: maxBytes })
    } catch (error) {
      return Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'unreadable'
    }
  }
  return bytes
}

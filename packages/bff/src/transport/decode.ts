import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'

type Decoder = (bytes: Buffer, limits: { readonly maxOutputLength: number }) => Promise<Buffer>

const unzip: Decoder = promisify(gunzip)
const inflateZlib: Decoder = promisify(inflate)
const inflateBare: Decoder = promisify(inflateRaw)

/** The codings of HTTP that Node can decode. (RFC 9110, 8.4.1.) */
const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: promisify(brotliDecompress),
  // Some servers leave out the header of zlib, whose first byte ends in 8.
  deflate: (bytes, limits) => (((bytes[0] ?? 0) & 0x0f) === 8 ? inflateZlib : inflateBare)(bytes, limits),
}

/** More codings than this on one body are not decoded. */
const MAX_CODINGS = 3

/**
 * Decodes a body whose `Content-Encoding` names what was applied, in that order. Rejects if a coding is not
 * known or the bytes do not fit. Resolves with `undefined` if the result would be longer than `maxBytes`, so a
 * small body cannot fill the memory.
 */
export async function decode(bytes: Buffer, encoding: string, maxBytes: number): Promise<Buffer | undefined> {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter(isCoding)
  if (codings.length > MAX_CODINGS) throw new TypeError('Too many codings.')
  let decoded = bytes
  for (const coding of codings.toReversed()) {
    const decoder = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined
    if (!decoder) throw new TypeError('Unknown coding.')
    try {
      decoded = await decoder(decoded, { maxOutputLength: maxBytes })
    } catch (error) {
      if (Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE') return undefined
      throw error
    }
  }
  return decoded
}

/** `identity` means: as it is. */
export function isCoding(coding: string): boolean {
  return coding !== '' && coding !== 'identity'
}

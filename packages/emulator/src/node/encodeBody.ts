import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Coding, EncodedBody } from '../core/request/http.js'

const ENCODERS: Readonly<Record<Coding, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
}

/** The body in its encoding; `undefined` for a body that does not end. */
export function encodeBody(body: EncodedBody, coding: Coding): Buffer | undefined {
  if (body.type === 'text') return ENCODERS[coding](Buffer.from(body.text))
  if (body.type === 'spaces') return ENCODERS[coding](Buffer.from(`${' '.repeat(body.count)}{}`))
  return undefined
}

import type { CreateProductStream } from './ProductStream.js'

/** Sends every message back as it came. For tests that count or compare. */
export const echoStream: CreateProductStream = (output) => ({
  onText: (text) => output.send(text),
  onBinary: (bytes) => output.send(bytes),
})

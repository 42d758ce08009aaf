import type { Product } from '@stagepass/contract'
import type { CreateProductStream } from './ProductStream.js'
import { sttStream } from './stt.js'
import { translationStream } from './translation.js'
import { ttsStream } from './tts.js'
import { voiceIsolationStream } from './voiceIsolation.js'

const STREAMS: Readonly<Record<Product, CreateProductStream>> = {
  stt: sttStream,
  tts: ttsStream,
  viva: voiceIsolationStream,
  vt: translationStream,
}

/** Sends every message back unchanged, for tests that count or compare. */
const echoStream: CreateProductStream = (output) => ({
  onText: (text) => output.send(text),
  onBinary: (bytes) => output.send(bytes),
})

/** The product stream of a product, or the echo. */
export function streamOf(product: Product, echo: boolean): CreateProductStream {
  return echo ? echoStream : STREAMS[product]
}

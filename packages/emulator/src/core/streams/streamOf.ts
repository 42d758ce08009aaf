import type { Product } from '@stagepass/contract'
import { echoStream } from './echo.js'
import type { StreamFactory } from './Stream.js'
import { sttStream } from './stt.js'
import { translationStream } from './translation.js'
import { ttsStream } from './tts.js'
import { voiceIsolationStream } from './voiceIsolation.js'

const STREAMS: Readonly<Record<Product, StreamFactory>> = {
  stt: sttStream,
  tts: ttsStream,
  viva: voiceIsolationStream,
  vt: translationStream,
}

/** What a product does with the frames that come, or the plain echo. */
export function streamOf(product: Product, echo: boolean): StreamFactory {
  return echo ? echoStream : STREAMS[product]
}

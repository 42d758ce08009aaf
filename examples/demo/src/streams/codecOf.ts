import type { Product } from '@stagepass/contract'
import type { Codec, SendData } from '@stagepass/react'
import type { DemoMessage } from './messages.js'
import { readFrame } from './messages.js'

const plain: Codec<SendData, DemoMessage> = { encode: (data) => data, decode: readFrame }

const CONFIG = {
  audio: { format: 'pcm_s16le', sample_rate: 16_000, channels: 1 },
  source_language: 'en-US',
  target_language: 'es-ES',
  voice: 'female',
  transcript: { interim: true, final: true, translate: true },
}

const translation: Codec<SendData, DemoMessage> = {
  ...plain,
  start: () => [JSON.stringify({ config: CONFIG })],
  isReady: (data) => typeof data === 'string' && data.includes('"ready"'),
}

/** How the demo speaks to a product. One object a product: a stream keeps the codec it began with. */
export function codecOf(product: Product): Codec<SendData, DemoMessage> {
  return product === 'vt' ? translation : plain
}

import type { Product } from '@stagepass/contract'
import type { Codec, SendData } from '@stagepass/react'
import type { TranslationMessage } from '@stagepass/react/codecs'
import { voiceTranslation } from '@stagepass/react/codecs'
import type { DemoMessage } from './messages.js'
import { readFrame, readSound } from './messages.js'

/** The products whose frames nobody has shown: the emulator's are understood. */
const plain: Codec<SendData, DemoMessage> = { encode: (data) => data, decode: readFrame }

const vt = voiceTranslation({
  source_language: 'en-US',
  target_language: 'es-ES',
  voice: 'female',
  transcript: { interim: true, final: true, translate: true },
})

const translation: Codec<SendData, DemoMessage> = {
  ...vt,
  encode: (data) => data,
  decode: (data) => vt.decode(data).flatMap(readTranslation),
}

function readTranslation(message: TranslationMessage): DemoMessage[] {
  switch (message.type) {
    case 'audio':
      return [readSound(message.pcm)]
    case 'transcript':
    case 'translate': {
      const { type, text, final, utterance_id } = message
      const kind = type === 'translate' ? 'translated' : 'heard'
      return [{ type: 'line', id: `${kind} ${utterance_id}`, text, final, kind }]
    }
    case 'error':
      return [{ type: 'refusal', text: message.description ?? message.reason ?? `Error ${message.code}` }]
    case 'ready':
      return []
    default:
      return message satisfies never
  }
}

/** How the demo speaks to a product. One object a product: a stream keeps the codec it began with. */
export function codecOf(product: Product): Codec<SendData, DemoMessage> {
  return product === 'vt' ? translation : plain
}

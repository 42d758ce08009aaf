import { TranslationConfig } from '@stagepass/contract/schemas'
import type { TranslationFrame } from '@stagepass/contract'
import {
  type CreateProductStream,
  parseJson,
  POLICY_VIOLATION,
  type ProductStream,
  sendJson,
} from './ProductStream.js'
import { createTranslator } from './createTranslator.js'

/**
 * Voice Translation, with the frames that public clients of such a service use. The emulator invented the
 * sentences and the voice of the translation.
 *
 *     unconfigured --config--> ready --audio--> ready
 *          |
 *          anything else, or a wrong config --> error frame 400, close
 */
export const translationStream: CreateProductStream = (output, context) => {
  const send = (frame: TranslationFrame): void => sendJson(output, frame)
  let translator: ProductStream | undefined

  const refuse = (description: string, reference?: string): void => {
    const reference_id = reference === undefined ? {} : { reference_id: reference }
    send({ error: { code: 400, reason: 'invalid_request', description, ...reference_id } })
    // Without a reason, because the error frame has it.
    output.close(POLICY_VIOLATION, '')
  }

  return {
    onText(text) {
      // A second config and any other text are ignored.
      if (translator) return
      const config: unknown = parseJson(text)?.config
      if (config === undefined) return refuse('The first frame must be {"config":{…}}.')
      const parsed = TranslationConfig.safeParse(config)
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        const where = ['config', ...(issue?.path ?? [])].join('.')
        return refuse(`Unsupported ${where}: ${issue?.message ?? 'not valid'}.`, referenceOf(config))
      }
      translator = createTranslator(parsed.data, { send, sendAudio: (pcm) => output.send(pcm), ...context })
      send({ type: 'ready' })
    },
    onBinary(bytes) {
      if (translator) translator.onBinary(bytes)
      else refuse('The first frame must be {"config":{…}}.')
    },
  }
}

/** Returns `metadata.reference_id`, even if another part of the config is wrong. */
function referenceOf(config: unknown): string | undefined {
  const parsed = TranslationConfig.pick({ metadata: true }).safeParse(config)
  return parsed.success ? parsed.data.metadata?.reference_id : undefined
}

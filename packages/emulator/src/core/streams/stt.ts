import { createSpeechDetector } from '../speech/createSpeechDetector.js'
import { type CreateProductStream, parseJson, refuseFrame, sendJson } from './ProductStream.js'
import { phraseOf, spokenPart } from '../speech/phrases.js'

/**
 * Speech-to-Text. The emulator invented these frames. (Assumptions: "Frames".)
 *
 * Accepts audio (see `pcm.ts`) in binary frames of any length. Sends `{ type: 'transcript', text, final,
 * start, duration, utterance_id }` with invented sentences, as long as the speech. `{ "type": "finish" }`
 * ends the current utterance, and then `{ type: 'finished' }` is sent.
 */
export const sttStream: CreateProductStream = (output) => {
  const detector = createSpeechDetector(({ index, start, duration, share, final }) => {
    const text = spokenPart(phraseOf(index, 'en-US'), share) + (final ? '.' : '')
    sendJson(output, { type: 'transcript', text, final, start, duration, utterance_id: `u${index + 1}` })
  })

  return {
    onBinary: detector.push,
    onText(text) {
      if (parseJson(text)?.type === 'finish') {
        detector.finish()
        sendJson(output, { type: 'finished' })
        return
      }
      refuseFrame(
        output,
        'Send 16-bit little-endian PCM, 16 kHz, mono, in binary frames, or {"type":"finish"}.',
      )
    },
  }
}

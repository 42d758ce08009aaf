import { createHearing } from '../speech/createHearing.js'
import { parseJson } from './parseJson.js'
import { phraseOf, spokenPart } from '../speech/phrases.js'
import type { StreamFactory } from './Stream.js'

/**
 * Speech-to-Text. The emulator's invention. (Assumptions: "Frames".)
 *
 * Takes audio (see `pcm.ts`) in binary frames of any length and answers with `{ type: 'transcript', text, final, start, duration,
 * utterance_id }`: sentences of its own, as long as what was heard. `{ "type": "finish" }` ends the utterance under way and is answered by
 * `{ type: 'finished' }`.
 */
export const sttStream: StreamFactory = (outlet) => {
  const send = (frame: object): void => outlet.send(JSON.stringify(frame))

  const hearing = createHearing(({ index, start, duration, share, final }) => {
    const text = spokenPart(phraseOf(index, 'en-US'), share)
    send({
      type: 'transcript',
      text: final ? `${text}.` : text,
      final,
      start,
      duration,
      utterance_id: `u${index + 1}`,
    })
  })

  return {
    onBinary: hearing.hear,
    onText(text) {
      if (parseJson(text)?.type === 'finish') {
        hearing.finish()
        send({ type: 'finished' })
        return
      }
      send({
        type: 'error',
        code: 'bad_frame',
        message: 'Send 16-bit little-endian PCM, 16 kHz, mono, in binary frames, or {"type":"finish"}.',
      })
    },
  }
}

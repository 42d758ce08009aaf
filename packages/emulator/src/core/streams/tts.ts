import { type CreateProductStream, parseJson, refuseFrame, sendJson } from './ProductStream.js'
import { SAMPLE_RATE } from '../speech/pcm.js'
import { synthesizeSpeech } from '../speech/synthesizeSpeech.js'

const MAX_TEXT_LENGTH = 1_000

/** 100 ms of audio. */
const CHUNK_BYTES = SAMPLE_RATE / 5

/**
 * Text-to-Speech. The emulator invented these frames. (Assumptions: "Frames".)
 *
 * Accepts `{ "text": "…", "voice"?: "male" | "female" }`, or only the text. Sends `{ type: 'start', id, text,
 * sample_rate, format }`; then for each word `{ type: 'mark', id, word, start, end }` and its audio (see
 * `pcm.ts`) in binary frames of at most 100 ms; then `{ type: 'end', id, duration }`. All audio is sent at
 * once, not at the speed of speech.
 */
export const ttsStream: CreateProductStream = (output) => {
  let texts = 0

  return {
    onBinary: () => refuseFrame(output, 'Send text. The answer is audio.'),
    onText(frame) {
      const json = parseJson(frame)
      const text = json ? json.text : frame
      if (typeof text !== 'string' || text.trim() === '') {
        refuseFrame(output, 'Send {"text":"…"} or only the text. The text must not be empty.')
        return
      }
      if (text.length > MAX_TEXT_LENGTH) {
        refuseFrame(output, `The text is longer than ${MAX_TEXT_LENGTH} characters.`)
        return
      }

      texts += 1
      const id = `t${texts}`
      const words = synthesizeSpeech(text, json?.voice === 'male' ? 'male' : 'female')
      sendJson(output, { type: 'start', id, text, sample_rate: SAMPLE_RATE, format: 'pcm_s16le' })
      for (const { word, start, end, audio } of words) {
        sendJson(output, { type: 'mark', id, word, start, end })
        for (let at = 0; at < audio.length; at += CHUNK_BYTES)
          output.send(audio.subarray(at, at + CHUNK_BYTES))
      }
      sendJson(output, { type: 'end', id, duration: words.at(-1)?.end ?? 0 })
    },
  }
}

import { parseJson } from './parseJson.js'
import { SAMPLE_RATE } from '../speech/pcm.js'
import type { StreamFactory } from './Stream.js'
import { synthesizeSpeech } from '../speech/synthesizeSpeech.js'

const MAX_TEXT_LENGTH = 1_000

/** 100 ms of audio. */
const CHUNK_BYTES = SAMPLE_RATE / 5

/**
 * Text-to-Speech. The emulator's invention. (Assumptions: "Frames".)
 *
 * Takes `{ "text": "…", "voice"?: "male" | "female" }`, or the bare text, and answers `{ type: 'start', id, text, sample_rate, format }`; for
 * each word `{ type: 'mark', id, word, start, end }` and its audio (see `pcm.ts`) in binary frames of at most 100 ms; then `{ type: 'end',
 * id, duration }`. The audio comes at once, not at the pace of speech.
 */
export const ttsStream: StreamFactory = (outlet) => {
  let texts = 0
  const send = (frame: object): void => outlet.send(JSON.stringify(frame))
  const refuse = (message: string): void => send({ type: 'error', code: 'bad_frame', message })

  return {
    onBinary: () => refuse('Send text; audio is what comes back.'),
    onText(frame) {
      const json = parseJson(frame)
      const text = json ? json.text : frame
      if (typeof text !== 'string' || text.trim() === '') {
        refuse('Send {"text":"…"} or the bare text; it must not be empty.')
        return
      }
      if (text.length > MAX_TEXT_LENGTH) {
        refuse(`The text is longer than ${MAX_TEXT_LENGTH} characters.`)
        return
      }

      texts += 1
      const id = `t${texts}`
      const words = synthesizeSpeech(text, json?.voice === 'male' ? 'male' : 'female')
      send({ type: 'start', id, text, sample_rate: SAMPLE_RATE, format: 'pcm_s16le' })
      for (const { word, start, end, audio } of words) {
        send({ type: 'mark', id, word, start, end })
        for (let at = 0; at < audio.length; at += CHUNK_BYTES)
          outlet.send(audio.subarray(at, at + CHUNK_BYTES))
      }
      send({ type: 'end', id, duration: words.at(-1)?.end ?? 0 })
    },
  }
}

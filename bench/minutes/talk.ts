import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/* What the microphone hears, as a sound file: 16 kHz, 16 bit, mono. */

const RATE = 16_000
const HEADER_BYTES = 44
const RECORDING = fileURLToPath(
  new URL('../../examples/demo/public/recordings/sense-and-sensibility.wav', import.meta.url),
)

export const UTTERANCES = 3
/** The seconds before each utterance, and after the last one. */
const PAUSES = [0.5, 8, 8, 8]
/** The root mean square of a quiet room, of 32,768. */
const ROOM = 12

export interface Talk extends Disposable {
  /** Three utterances with pauses between them. */
  readonly file: string
  readonly speechMs: number
  readonly lengthMs: number
}

function wav(samples: Int16Array): Buffer {
  const header = Buffer.from(readFileSync(RECORDING).subarray(0, HEADER_BYTES))
  header.writeUInt32LE(HEADER_BYTES - 8 + samples.byteLength, 4)
  header.writeUInt32LE(samples.byteLength, HEADER_BYTES - 4)
  return Buffer.concat([header, new Uint8Array(samples.buffer)])
}

/** Noise that is louder in low tones, as in a room. */
function room(seconds: number): Int16Array {
  let last = 0
  return Int16Array.from({ length: seconds * RATE }, () => {
    last = last * 0.98 + (Math.random() - 0.5) * ROOM * 0.7
    return Math.round(last)
  })
}

/** Writes the file. It is removed with the result. */
export function writeTalk(): Talk {
  const bytes = Uint8Array.from(readFileSync(RECORDING).subarray(HEADER_BYTES))
  const spoken = new Int16Array(bytes.buffer)
  const length = Math.floor(spoken.length / UTTERANCES)
  const parts: Int16Array[] = []
  for (const [index, seconds] of PAUSES.entries()) {
    parts.push(room(seconds))
    if (index < UTTERANCES) parts.push(spoken.subarray(index * length, (index + 1) * length))
  }
  const talk = Int16Array.from(parts.flatMap((part) => [...part]))
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-talk-'))
  const file = join(folder, 'talk.wav')
  writeFileSync(file, wav(talk))
  const msOf = (samples: number): number => Math.round((samples * 1_000) / RATE)
  return {
    file,
    speechMs: msOf(length * UTTERANCES),
    lengthMs: msOf(talk.length),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

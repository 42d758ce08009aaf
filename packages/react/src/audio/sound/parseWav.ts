import type { Samples } from './pcm.js'
import { AudioError } from './AudioError.js'

/** The samples of a recording. */
export interface Recording {
  readonly sampleRate: number
  /** Mono. More channels are mixed into one. */
  readonly samples: Samples
}

/** Reads a WAV file with 16-bit PCM samples. Throws an `AudioError` `NOT_WAV` for anything else. */
export function parseWav(file: ArrayBuffer): Recording {
  const view = new DataView(file)
  const tag = (offset: number): string => new TextDecoder().decode(file.slice(offset, offset + 4))
  let channels = 0
  let sampleRate = 0

  if (tag(0) + tag(8) === 'RIFFWAVE') {
    for (let offset = 12; offset + 8 <= file.byteLength;) {
      const body = offset + 8
      const size = view.getUint32(offset + 4, true)
      if (tag(offset) === 'fmt ' && body + 16 <= file.byteLength && view.getUint16(body + 14, true) === 16) {
        channels = view.getUint16(body + 2, true)
        sampleRate = view.getUint32(body + 4, true)
      }
      if (tag(offset) === 'data' && channels > 0) {
        // A recorder that streams its file does not know the size in advance and leaves 0 or 0xffffffff there.
        const bytes = Math.min(size || file.byteLength, file.byteLength - body)
        return { sampleRate, samples: mixDown(view, body, bytes, channels) }
      }
      offset = body + size + (size % 2)
    }
  }
  throw new AudioError('read the recording', 'NOT_WAV')
}

function mixDown(view: DataView, start: number, bytes: number, channels: number): Samples {
  const samples = new Int16Array(Math.floor(bytes / (2 * channels)))
  for (let i = 0; i < samples.length * channels; i += 1) {
    samples[Math.floor(i / channels)]! += view.getInt16(start + 2 * i, true) / channels
  }
  return samples
}

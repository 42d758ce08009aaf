import { SAMPLE_RATE } from '../sound/pcm.js'
import { FVAD_WASM } from './fvadWasm.js'

/** True if there is voice in a frame of PCM16. */
export type Detect = (frame: Int16Array) => boolean

/**
 * What the WebAssembly exports. The one-letter names were given by its compiler, so they belong to the exact
 * version in package.json.
 */
interface Fvad {
  readonly c: WebAssembly.Memory
  /** Initializes the memory. */
  d(): void
  /** `fvad_new` */
  e(): number
  /** `malloc` */
  f(bytes: number): number
  /** `fvad_set_mode` */
  j(detector: number, mode: number): number
  /** `fvad_set_sample_rate` */
  k(detector: number, sampleRate: number): number
  /** `fvad_process`: 1 for voice, 0 for none, -1 if the length of the frame is not known. */
  l(detector: number, frame: number, samples: number): number
}

/** The rates that the detector knows. */
const RATES: readonly number[] = [8_000, 16_000, 32_000, 48_000]
/** The mode that takes the fewest sounds for voice. */
const STRICTEST = 3
/** The longest frame: 30 ms at 48 kHz. */
const MOST_BYTES = 1_440 * 2

/**
 * Creates the voice activity detector of WebRTC, for frames of 10, 20 or 30 ms. Rejects if the page may not
 * compile WebAssembly.
 */
export async function createDetector(sampleRate: number): Promise<Detect> {
  const bytes = Uint8Array.from(atob(FVAD_WASM), (character) => character.charCodeAt(0))
  // The detector never grows its memory. 0: an assertion failed, which leads to a trap.
  const imports = { a: { a: () => 0, b: () => 0 } }
  const { instance } = await WebAssembly.instantiate(bytes, imports)
  const fvad = instance.exports as unknown as Fvad
  fvad.d()
  const detector = fvad.e()
  const frameAt = fvad.f(MOST_BYTES)
  const rate = RATES.includes(sampleRate) ? sampleRate : SAMPLE_RATE
  fvad.j(detector, STRICTEST)
  fvad.k(detector, rate)
  return (frame) => {
    const known = rate === sampleRate ? frame : resample(frame, sampleRate, rate)
    if (known.byteLength > MOST_BYTES) throw new RangeError(lengthError(frame.length, sampleRate))
    new Int16Array(fvad.c.buffer).set(known, frameAt / 2)
    const found = fvad.l(detector, frameAt, known.length)
    if (found < 0) throw new RangeError(lengthError(frame.length, sampleRate))
    return found === 1
  }
}

const lengthError = (samples: number, sampleRate: number): string =>
  `Failed to look for speech: the frame has ${samples} samples at ${sampleRate} a second. Give frames of 10, 20 or 30 ms.`

/** Linear, which is enough to find voice. */
function resample(frame: Int16Array, from: number, to: number): Int16Array {
  const length = Math.round((frame.length * to) / from)
  return Int16Array.from({ length }, (_, index) => {
    const at = (index * from) / to
    const before = frame[Math.floor(at)] ?? 0
    return before + ((frame[Math.floor(at) + 1] ?? before) - before) * (at % 1)
  })
}

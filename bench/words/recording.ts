/*
 * A recording whose every 100 ms have a tone of their own, so that a listener knows which of them came, and how
 * often. Sentences of 0.6 to 6 s, and pauses of 0.6 to 2 s.
 *
 * A tone is a low and a high frequency. All are multiples of 50 Hz, so windows of 40 ms (25 Hz) tell them apart.
 */

/** The part of the recording that has one tone. */
export const PART_MS = 100
const LOW = { firstHz: 400, stepHz: 50 }
const HIGH = { firstHz: 2_500, stepHz: 100 }
const TONES = 40
const LOUDNESS = 0.2

export interface Recording {
  readonly lengthMs: number
  /** From 0 to 1, the same sentences for the same seed. */
  readonly sentences: readonly { readonly fromMs: number; readonly toMs: number }[]
}

/** Random numbers from 0 to 1, the same for each seed. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const whole = (ms: number): number => Math.round(ms / PART_MS) * PART_MS

/** Ends with a pause. */
export function createRecording(lengthMs: number, seed: number): Recording {
  const random = createRandom(seed)
  const sentences: { fromMs: number; toMs: number }[] = []
  let at = 500
  for (;;) {
    const toMs = at + whole(600 + random() * 5_400)
    if (toMs > lengthMs - 1_000) return { lengthMs, sentences }
    sentences.push({ fromMs: at, toMs })
    at = toMs + whole(600 + random() * 1_400)
  }
}

const frequenciesOf = (part: number): [low: number, high: number] => [
  LOW.firstHz + LOW.stepHz * (part % TONES),
  HIGH.firstHz + HIGH.stepHz * (Math.floor(part / TONES) % TONES),
]

/** The parts with sound, in their order. */
export const partsOf = ({ sentences }: Recording): number[] =>
  sentences.flatMap(({ fromMs, toMs }) =>
    Array.from({ length: (toMs - fromMs) / PART_MS }, (_, index) => fromMs / PART_MS + index),
  )

/** The sound, as samples from -1 to 1. */
export function soundOf(recording: Recording, rate: number): Float32Array<ArrayBuffer> {
  const samples = new Float32Array(Math.ceil((recording.lengthMs * rate) / 1_000))
  for (const part of partsOf(recording)) {
    const [low, high] = frequenciesOf(part).map((frequency) => (2 * Math.PI * frequency) / rate) as [
      number,
      number,
    ]
    const from = Math.round((part * PART_MS * rate) / 1_000)
    const length = Math.round((PART_MS * rate) / 1_000)
    for (let index = 0; index < length; index += 1)
      samples[from + index] = LOUDNESS * (Math.sin(low * index) + Math.sin(high * index))
  }
  return samples
}

const RATE = 16_000
/** What is heard is read in steps, each by a window around it. */
const STEP_MS = 20
const STEP = (RATE * STEP_MS) / 1_000
const WINDOW = 2 * STEP
/** Below this the sound is a pause, of 1. */
const QUIET = 0.02
/** The two tones have at least this share of the energy, or the window is at a seam. */
const CLEAR = 0.6

/** The energy at a frequency (Goertzel). */
function energyAt(samples: Int16Array, from: number, frequency: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * frequency) / RATE)
  let before = 0
  let last = 0
  for (let index = from; index < from + WINDOW; index += 1) {
    const next = (samples[index] ?? 0) / 0x8000 + factor * last - before
    before = last
    last = next
  }
  return (2 * (last * last + before * before - factor * last * before)) / WINDOW
}

function loudest(samples: Int16Array, from: number, { firstHz, stepHz }: typeof LOW): [number, number] {
  let best: [tone: number, energy: number] = [0, 0]
  for (let tone = 0; tone < TONES; tone += 1) {
    const energy = energyAt(samples, from, firstHz + stepHz * tone)
    if (energy > best[1]) best = [tone, energy]
  }
  return best
}

/** The part of the recording that is heard at this sample; undefined at a seam, null in a pause. */
function partAt(samples: Int16Array, from: number): number | null | undefined {
  let energy = 0
  for (let index = from; index < from + WINDOW; index += 1) energy += ((samples[index] ?? 0) / 0x8000) ** 2
  if (energy < WINDOW * QUIET ** 2) return null
  const [low, lowEnergy] = loudest(samples, from, LOW)
  const [high, highEnergy] = loudest(samples, from, HIGH)
  return lowEnergy + highEnergy < CLEAR * energy ? undefined : low + TONES * high
}

/** A stretch of one part of the recording, in the sound that a connection heard. */
export interface Heard {
  readonly part: number
  readonly fromMs: number
  readonly toMs: number
}

/** Reads the sound of a connection: 16-bit PCM, 16 kHz. */
export function read(samples: Int16Array): Heard[] {
  const runs: { part: number; fromMs: number; toMs: number }[] = []
  for (let at = 0; at + STEP <= samples.length; at += STEP) {
    const part = partAt(samples, at - STEP / 2)
    if (part === null || part === undefined) continue
    const ms = (at * 1_000) / RATE
    const last = runs.at(-1)
    if (last?.part === part && ms - last.toMs <= STEP_MS) last.toMs = ms + STEP_MS
    // At a change of tone one window has both tones.
    else
      runs.push({
        part,
        fromMs: ms - (last && ms - last.toMs === STEP_MS ? STEP_MS / 2 : 0),
        toMs: ms + STEP_MS,
      })
  }
  // One window alone may be a low tone of one part and a high one of another.
  return runs.filter(({ fromMs, toMs }) => toMs - fromMs >= 2 * STEP_MS)
}

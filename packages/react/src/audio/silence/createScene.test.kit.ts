import { readFileSync } from 'node:fs'

/*
 * An hour of a room in minutes: sentences of a reader with pauses between them, over a noise. The sentences
 * are parts of a recording, spoken slower or faster, and so lower or higher.
 */

const RATE = 16_000
const RECORDING = 'examples/demo/public/recordings/sense-and-sensibility.wav'
const UTTERANCES = 60
/** The root mean square of each utterance, of 1. So a ratio to the noise is that of each. */
const LOUDNESS = 0.05
const SPEEDS = [1, 1.18, 0.86]
/** A part of the recording ends where it is quieter than this for `PAUSE_SAMPLES`. */
const QUIET = 700
const PAUSE_SAMPLES = 640
/** Shorter parts are no words. */
const LEAST_SAMPLES = 4_000

/** What is heard beside the speech. Hum, brown noise (a fan) and white noise are steady; keys are clicks. */
export type Noise = 'none' | 'white' | 'brown' | 'hum' | 'keys'

export interface Scene {
  readonly samples: Int16Array
  /** The first sample of each utterance, and the one after its last. */
  readonly utterances: readonly { readonly from: number; readonly to: number }[]
}

/** Random numbers from 0 to 1, the same for each scene. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x80000000
  }
}

function readRecording(): Int16Array {
  const file = readFileSync(RECORDING)
  const at = file.indexOf('data') + 8
  return new Int16Array(Uint8Array.from(file.subarray(at, file.length - ((file.length - at) % 2))).buffer)
}

/** The parts of the recording between its pauses. */
function clipsOf(recording: Int16Array): Int16Array[] {
  const clips: Int16Array[] = []
  let from = -1
  let quiet = 0
  for (const [at, sample] of [...recording, ...new Int16Array(PAUSE_SAMPLES)].entries()) {
    quiet = Math.abs(sample) < QUIET ? quiet + 1 : 0
    if (quiet === 0 && from < 0) from = at
    if (quiet < PAUSE_SAMPLES || from < 0) continue
    const to = at - PAUSE_SAMPLES
    if (to - from >= LEAST_SAMPLES) clips.push(recording.slice(from, to))
    from = -1
  }
  return clips
}

/** A clip, faster or slower, at `LOUDNESS`. */
function atSpeed(clip: Int16Array, speed: number): Float32Array {
  const spoken = Float32Array.from({ length: Math.floor(clip.length / speed) }, (_, index) => {
    const at = index * speed
    const before = clip[Math.floor(at)] ?? 0
    const after = clip[Math.floor(at) + 1] ?? before
    return before + (after - before) * (at % 1)
  })
  const power = spoken.reduce((sum, sample) => sum + sample * sample, 0) / spoken.length
  return spoken.map((sample) => (sample * LOUDNESS) / Math.sqrt(power))
}

/** One sample after the other, at about the same loudness. */
function createNoise(noise: Noise, random: () => number): () => number {
  const white = (): number => Math.sqrt(-2 * Math.log(random() + 1e-9)) * Math.cos(2 * Math.PI * random())
  let at = 0
  let brown = 0
  let click = 0
  return () => {
    at += 1
    if (noise === 'white') return white()
    if (noise === 'brown') return (brown = brown * 0.995 + white() * 0.1)
    if (noise === 'hum')
      return (
        1.1 * Math.sin((2 * Math.PI * 50 * at) / RATE) +
        0.5 * Math.sin((2 * Math.PI * 150 * at) / RATE) +
        0.2 * white()
      )
    if (noise === 'none') return 0
    // Keys: every quarter of a second a click of 25 ms, or none.
    if (at % 4_000 === 0) click = random() < 0.5 ? 400 : 0
    click = Math.max(0, click - 1)
    return click > 0 ? (white() * 4 * click) / 400 : white() * 0.05
  }
}

/** `ratio`: how much louder than the noise the speech is, in dB. */
export function createScene(noise: Noise, ratio: number): Scene {
  const random = createRandom(11)
  const clips = clipsOf(readRecording())
  const utterances: { from: number; to: number }[] = []
  const spoken: Float32Array[] = []
  let at = 0
  for (let index = 0; index < UTTERANCES; index += 1) {
    const clip = clips[index % clips.length] ?? new Int16Array(0)
    const speech = atSpeed(clip, SPEEDS[index % SPEEDS.length] ?? 1)
    // Many short pauses, and some long ones, of up to 31 s.
    at += Math.round((1 + random() * random() * 30) * RATE)
    utterances.push({ from: at, to: at + speech.length })
    spoken.push(speech)
    at += speech.length
  }
  const length = at + 10 * RATE
  const level = LOUDNESS * 10 ** (-ratio / 20)
  const next = createNoise(noise, random)
  const sound = Float32Array.from({ length }, () => next() * level)
  for (const [index, { from }] of utterances.entries())
    spoken[index]?.forEach((sample, offset) => {
      sound[from + offset] = (sound[from + offset] ?? 0) + sample
    })
  const samples = Int16Array.from(sound, (sample) =>
    Math.max(-0x8000, Math.min(0x7fff, Math.round(sample * 0x7fff))),
  )
  return { samples, utterances }
}

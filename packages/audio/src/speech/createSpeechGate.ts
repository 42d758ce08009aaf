import { checkNumber } from '../sound/checkNumber.js'
import { checkRate, SAMPLE_RATE } from '../sound/pcm.js'
import type { Detect } from './createDetector.js'

/** Options of a speech gate. Each has a default. */
export interface SpeechGateOptions {
  /** Default 16,000. */
  readonly sampleRate?: number | undefined
  /** The gate closes after this time without speech, in milliseconds of sound. Default 2,000. */
  readonly closeAfterMs?: number | undefined
  /** Sound from before the speech that is given out with it, in milliseconds. Default 500. */
  readonly preRollMs?: number | undefined
  /**
   * True if there is voice in this frame of PCM16. Default: the detector of WebRTC, a chunk of its own, which
   * needs WebAssembly and frames of 10, 20 or 30 ms.
   */
  readonly detect?: ((frame: Int16Array) => boolean) | undefined
  /** True for a frame that never counts as speech, such as an echo. Default: none. */
  readonly isEcho?: ((frame: Int16Array) => boolean) | undefined
  /**
   * Called once if the detector did not load, or failed, as without WebAssembly. The gate then stays open.
   */
  readonly onUnavailable?: ((cause: unknown) => void) | undefined
}

type Times = Pick<SpeechGateOptions, 'closeAfterMs' | 'preRollMs'>

/** The times of a speech gate, or their defaults. Throws a `RangeError` if one makes no sense. */
export function speechTimes({ closeAfterMs = 2_000, preRollMs = 500 }: Times): {
  readonly [TName in keyof Times]-?: number
} {
  checkNumber('closeAfterMs', closeAfterMs, 100)
  checkNumber('preRollMs', preRollMs, 0, 10_000)
  return { closeAfterMs, preRollMs }
}

/** Lets speech pass and holds silence back. */
export interface SpeechGate {
  /** `speech`: the gate is open. `silence`: no speech for `closeAfterMs`. */
  readonly state: 'speech' | 'silence'
  /**
   * Takes a frame and returns the frames to send now. In silence there are none. When speech begins, they
   * begin with the sound from before it.
   */
  push(frame: ArrayBuffer): readonly ArrayBuffer[]
  /** Opens the gate without speech, for `closeAfterMs`. Returns the frames to send now. */
  open(): readonly ArrayBuffer[]
  /**
   * Says whether the last speech was one, for example whether the service found words in it. After a false
   * alarm the gate needs more frames with voice before it opens: at most eight of the last twelve.
   */
  confirm(isSpeech: boolean): void
}

/*
 *                       no voice for closeAfterMs
 *   ┌──────▶ speech ───────────────────────────────▶ silence
 *   │          ▲                                       │
 *   │          └──── enough voiced frames, open() ─────┘
 *   │ start; stays here while the detector loads, and if it is not available
 *
 * `speech` gives each frame out at once. `silence` keeps the last frames, and gives them out when it ends.
 */

/** If `voiced` of the last `of` frames have voice, the gate opens. For none, one and more false alarms. */
const NEEDED = [
  { voiced: 3, of: 5 },
  { voiced: 5, of: 8 },
  { voiced: 8, of: 12 },
] as const

/**
 * Creates a gate for the frames of a microphone. It never loses a word: until its detector has been loaded,
 * and if that fails, all sound passes. Throws a `RangeError` if a number of the options makes no sense.
 *
 * @example
 * const gate = createSpeechGate({ closeAfterMs: 2_000 })
 * microphone.onFrame((frame) => gate.push(frame).forEach((one) => socket.send(one)))
 */
export function createSpeechGate(options: SpeechGateOptions = {}): SpeechGate {
  const { sampleRate = SAMPLE_RATE, isEcho, onUnavailable } = options
  const { closeAfterMs, preRollMs } = speechTimes(options)
  checkRate(sampleRate)
  let detect: Detect | undefined
  let state: SpeechGate['state'] = 'speech'
  let falseAlarms = 0
  /** Milliseconds of sound since the last voice. */
  let quietMs = 0
  /** Whether there was voice in each of the last frames. */
  let heard: boolean[] = []
  /** In silence: the last frames. */
  let kept: ArrayBuffer[] = []

  const giveUp = (cause: unknown): void => {
    detect = undefined
    onUnavailable?.(cause)
  }

  function isVoice(frame: Int16Array): boolean {
    if (!detect) return true
    try {
      // Also of an echo, because the detector learns the background from each frame.
      const found = detect(frame)
      return found && !isEcho?.(frame)
    } catch (cause) {
      giveUp(cause)
      return true
    }
  }

  /** Each frame is judged once, in its order. */
  function hears(frame: Int16Array): boolean {
    const { voiced, of } = NEEDED[Math.min(falseAlarms, NEEDED.length - 1)] ?? NEEDED[0]
    heard = [...heard, isVoice(frame)].slice(-of)
    return !detect || heard.filter(Boolean).length >= voiced
  }

  function open(): readonly ArrayBuffer[] {
    const frames = kept
    kept = []
    quietMs = 0
    state = 'speech'
    return frames
  }

  if (options.detect) detect = options.detect
  else {
    import('./createDetector.js')
      .then((chunk) => chunk.createDetector(sampleRate))
      .then((created) => (detect = created), giveUp)
  }

  return {
    get state() {
      return state
    },
    push(frame) {
      const samples = new Int16Array(frame)
      const frameMs = (samples.length * 1_000) / sampleRate
      const isSpeech = hears(samples)
      quietMs = isSpeech ? 0 : quietMs + frameMs
      if (state === 'speech' && quietMs <= closeAfterMs) return [frame]
      state = 'silence'
      kept.push(frame)
      if (isSpeech) return open()
      // The frames that the decision takes belong to the speech, so they are kept beside the pre-roll.
      const most = Math.ceil(preRollMs / frameMs) + heard.length
      kept = kept.slice(-most)
      return []
    },
    open,
    confirm(isSpeech) {
      falseAlarms = isSpeech ? 0 : falseAlarms + 1
    },
  }
}

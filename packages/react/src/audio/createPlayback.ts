import { createListeners } from '../platform/createListeners.js'
import { pcm16ToFloat, SAMPLE_RATE } from './sound/pcm.js'

/** `blocked`: the browser lets no sound out before a tap; call `unlock` in its handler. */
export type PlaybackStatus = 'idle' | 'blocked' | 'playing'

export interface PlaybackOptions {
  /** Rate of the samples. Default 16,000. */
  readonly sampleRate?: number | undefined
  /** Sound gathered before the first sample is heard, and again after a gap. Default 120. */
  readonly cushionMs?: number | undefined
  /** What may wait to be heard; what comes on top is dropped and counted. Default 30,000. */
  readonly maxBufferedMs?: number | undefined
}

/** Plays PCM16 as it arrives. Knows no React. */
export interface Playback {
  readonly status: PlaybackStatus
  /**
   * Makes sure that sound can be heard. Call it first thing in the handler of a tap, before anything is awaited: iOS lets sound begin only
   * there.
   */
  readonly unlock: () => void
  /** Appends samples: `Int16Array`, or a binary message as it came. */
  readonly play: (samples: Int16Array | ArrayBuffer) => void
  /** Forgets what has not been heard yet, at once. */
  readonly stop: () => void
  /** What waits to be heard. */
  readonly bufferedMs: () => number
  /** Gaps heard because samples came too late, and samples dropped because too many waited. */
  readonly counters: () => { readonly underruns: number; readonly droppedMs: number }
  /** Calls back when `status` has changed. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
  /** Gives the loudspeaker back. A later `play` takes it again. */
  readonly close: () => void
}

/** Seconds without samples after which the sender has paused, and has not been late. */
const PAUSE = 1

export function createPlayback(options: PlaybackOptions = {}): Playback {
  const { sampleRate = SAMPLE_RATE, cushionMs = 120, maxBufferedMs = 30_000 } = options
  const { subscribe, notify } = createListeners()
  const playing = new Set<AudioBufferSourceNode>()
  let status: PlaybackStatus = 'idle'
  let context: AudioContext | undefined
  /** Context time at which the next sample is due. */
  let endsAt = 0
  let underruns = 0
  let droppedMs = 0

  function refresh(): void {
    const sounding = context?.state === 'running' ? 'playing' : 'blocked'
    const next = playing.size === 0 ? 'idle' : sounding
    if (next === status) return
    status = next
    notify()
  }

  /** A context that the system interrupted may come back silent, so it is replaced and not resumed. */
  function ready(): AudioContext {
    if (context && context.state !== 'interrupted') return context
    close()
    const fresh = new AudioContext({ sampleRate })
    fresh.addEventListener('statechange', refresh)
    context = fresh
    return fresh
  }

  function stop(): void {
    for (const source of playing) source.stop()
    playing.clear()
    endsAt = 0
    refresh()
  }

  function close(): void {
    stop()
    void context?.close()
    context = undefined
  }

  function play(data: Int16Array | ArrayBuffer): void {
    const samples = data instanceof Int16Array ? data : new Int16Array(data, 0, data.byteLength >> 1)
    if (samples.length === 0) return
    const output = ready()
    const lengthMs = (samples.length * 1_000) / sampleRate
    if (bufferedMs() + lengthMs > maxBufferedMs) {
      droppedMs += lengthMs
      return
    }
    const late = output.currentTime - endsAt
    if (late >= 0) {
      if (endsAt > 0 && late < PAUSE) underruns += 1
      endsAt = output.currentTime + cushionMs / 1_000
    }
    const buffer = output.createBuffer(1, samples.length, sampleRate)
    buffer.copyToChannel(pcm16ToFloat(samples), 0)
    const source = output.createBufferSource()
    source.buffer = buffer
    source.connect(output.destination)
    source.addEventListener('ended', () => {
      playing.delete(source)
      refresh()
    })
    source.start(endsAt)
    endsAt += lengthMs / 1_000
    playing.add(source)
    refresh()
  }

  function bufferedMs(): number {
    return context ? Math.max(0, (endsAt - context.currentTime) * 1_000) : 0
  }

  return {
    get status() {
      return status
    },
    counters: () => ({ underruns, droppedMs }),
    unlock: () => {
      const output = ready()
      if (output.state === 'suspended') void output.resume()
    },
    play,
    stop,
    bufferedMs,
    close,
    subscribe,
  }
}

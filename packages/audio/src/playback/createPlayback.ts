import { after, type Timer } from '../sound/after.js'
import { createListeners } from '../sound/createListeners.js'
import { AudioError, toAudioError } from '../sound/AudioError.js'
import { createRestarts } from '../sound/createRestarts.js'
import { checkNumber } from '../sound/checkNumber.js'
import { checkRate, SAMPLE_RATE, type Samples } from '../sound/pcm.js'
import { createSpeakerChoice } from './createSpeakerChoice.js'
import { ACTION, openOutput, type Output } from './openOutput.js'
import type { PlaybackCounters, PlaybackOptions } from './PlaybackOptions.js'
import { systemLatency } from './systemLatency.js'

/*
 *            play                     clock runs                    all was heard
 *   idle ────────────▶ blocked ─────────────────────▶ playing ───────────────────────▶ idle
 *                       ▲   │                          │
 *                       │   │ no worklet, or no sound  │ suspended (`unlock` resumes it), or stopped: closed,
 *                       │   │ after six restarts       │ `error`, `processorerror`, no report for 1 s
 *                       │   ▼                          │ (watchFlow.ts)
 *                       │  failed ── unlock ──▶ idle   │
 *                       └──────────────────────────────┘
 *   `close` leads to idle from everywhere
 *
 * A context that has stopped is replaced: the first two times at once, then later and later
 * (createRestarts.ts), and at once by `unlock`. What was not heard yet is played by the new one.
 */

/**
 * `blocked`: sound waits, because the browser plays none before a tap, or has stopped it; call `unlock` in
 * the handler of a tap. `failed`: `error` says why; sound is dropped until `unlock` is called again.
 */
export type PlaybackStatus = 'idle' | 'blocked' | 'playing' | 'failed'

/** Plays PCM16 as it arrives. Independent of React. */
export interface Playback {
  readonly status: PlaybackStatus
  /** Set if `status` is `failed`. */
  readonly error: AudioError | null
  readonly muted: boolean
  readonly paused: boolean
  /**
   * Makes sure that sound can be heard. Call it in the handler of a tap, before the first `await`: iOS allows
   * sound to begin only there.
   */
  readonly unlock: () => void
  /** Appends samples: an `Int16Array`, or a received binary message. */
  readonly play: (samples: Int16Array | ArrayBuffer) => void
  /** Drops sound that was not heard yet. Silence follows within 30 ms, without a click. */
  readonly interrupt: () => void
  /**
   * Call it when the speaker pauses: the last words are then heard at once, even if they are shorter than the
   * cushion, and no underrun is counted.
   */
  readonly endOfSpeech: () => void
  /** While muted, sound continues but is not heard. */
  readonly setMuted: (muted: boolean) => void
  /**
   * While paused, sound waits, up to `maxBufferedMs`, also sound from later calls of `play`. Silence follows
   * within 30 ms, without a click.
   */
  readonly setPaused: (paused: boolean) => void
  /** 0 to 1. Default 1. */
  readonly setVolume: (volume: number) => void
  /**
   * A second factor, 0 to 1, in addition to the volume. Default 1. It makes the sound quieter for some time,
   * without a change of the user's volume.
   */
  readonly setDucking: (factor: number) => void
  /**
   * Changes the loudspeaker, if the browser lets a page choose one. If the loudspeaker is lost, the default
   * one plays until it returns.
   */
  readonly setDevice: (deviceId: string | undefined) => void
  /** Length of the sound that waits to be heard. */
  readonly bufferedMs: () => number
  /**
   * Time from `play` to the ear, for a sample that is played now: the sound that waits before it, the filter,
   * and the system's delay, if the system reports it.
   */
  readonly latencyMs: () => number
  /**
   * Position of the listener in all sound since the playback was created, in milliseconds. Dropped and
   * interrupted sound counts as past.
   */
  readonly positionMs: () => number
  /** Calls `onHeard` with `data` when the sound that was played before this call has been heard. */
  readonly mark: (data: unknown) => void
  /** Loudest sample that was just heard, 0 to 1. Read it in an animation frame. */
  readonly level: () => number
  readonly counters: () => PlaybackCounters
  /**
   * The sound that is heard, with volume and `muted`, as a stream to record or to send into a call. Each call
   * returns the same stream. It opens the loudspeaker, so call it in the handler of a tap. `undefined` if
   * `status` is `failed`. Its track ends when the loudspeaker is closed: then call again. If the browser has
   * stopped the sound, the stream gets another track and an `addtrack` event.
   */
  readonly stream: () => MediaStream | undefined
  /**
   * Calls the listener when `status`, `error`, `muted` or `paused` has changed. Returns a function that
   * unsubscribes.
   */
  readonly subscribe: (listener: () => void) => () => void
  /** Releases the loudspeaker. A later `play` opens it again. */
  readonly close: () => void
}

/** Shortest time between two checks of the marks. */
const SHORTEST_WAIT_MS = 5

/** Delay of the worklet's filter, in samples of the sender. */
const FILTER_SAMPLES = 24

/**
 * Creates a playback for PCM16 as it arrives, independent of React. It opens no device before `unlock` or
 * `play`. Failures are in its state. Throws a `RangeError` if a number of the options makes no sense.
 */
export function createPlayback(options: PlaybackOptions = {}): Playback {
  const {
    sampleRate = SAMPLE_RATE,
    cushionMs = 120,
    maxBufferedMs = 30_000,
    audible = true,
    workletUrl,
  } = options
  checkRate(sampleRate)
  checkNumber('cushionMs', cushionMs, 0, 60_000)
  checkNumber('maxBufferedMs', maxBufferedMs, 0)
  const settings = { sampleRate, cushionMs, maxBufferedMs }
  const { subscribe, notify } = createListeners()
  let status: PlaybackStatus = 'idle'
  let error: AudioError | null = null
  let output: Output | undefined
  let speaker: ReturnType<typeof createSpeakerChoice> | undefined
  let { deviceId } = options
  let volume = 1
  let ducking = 1
  let muted = false
  let paused = false
  /** Samples of the previous outputs, without those that the current one has taken over. */
  let before = 0
  /** The position never goes back, although the last part before a standstill is played again. */
  let furthest = 0
  const restarts = createRestarts()
  let restartTimer: Timer | undefined
  let marks: { readonly at: number; readonly data: unknown }[] = []
  let markTimer: Timer | undefined
  const counts = { underruns: 0, pauses: 0, interrupts: 0, droppedMs: 0 }

  const ms = (samples: number): number => (samples * 1_000) / sampleRate
  const controls = () => ({ volume: muted ? 0 : volume * ducking, paused })

  function passed(): number {
    furthest = Math.max(furthest, before + (output?.passed() ?? 0))
    return furthest
  }

  /** Calls `onHeard` for the marks that the listener is past, or for all marks. */
  function passMarks(skipped = false): void {
    const at = passed()
    const due = marks.filter((mark) => skipped || mark.at <= at + 1)
    marks = marks.slice(due.length)
    for (const { data } of due) queueMicrotask(() => options.onHeard?.(data, { skipped }))
    clearTimeout(markTimer)
    const [next] = marks
    if (next && output?.isSounding())
      markTimer = after(() => passMarks(), Math.max(SHORTEST_WAIT_MS, ms(next.at - at)))
  }

  function refresh(): void {
    passMarks()
    if (output?.isSounding() && output.hasRun()) restarts.flowing()
    const sounding = output?.isSounding() ? 'playing' : 'blocked'
    const waiting = output?.waiting() ? sounding : 'idle'
    const next = error ? 'failed' : waiting
    if (next === status) return
    status = next
    notify()
  }

  /**
   * A context that the system has interrupted may be silent when it resumes, so it is replaced. One that
   * never ran is kept: another one would not run either.
   */
  function ready(): Output | undefined {
    if (output?.context.state === 'interrupted' && output.hasRun()) replace()
    if (output) return output
    close()
    error = null
    return open()
  }

  function open(): Output | undefined {
    try {
      output = openOutput(settings, {
        workletUrl,
        audible,
        controls,
        counts,
        onChange: refresh,
        onFailed: (reason) => (restarts.count() > 0 ? restart(reason) : fail(reason)),
        onStopped: (cause) => restart(new AudioError(ACTION, 'NO_SOUND', cause)),
      })
    } catch (thrown) {
      fail(toAudioError(ACTION, thrown))
      return undefined
    }
    speaker = createSpeakerChoice(output.context)
    speaker.choose(deviceId)
    return output
  }

  /** Nothing is heard any more from the context. */
  function restart(reason: AudioError): void {
    const delayMs = restarts.next()
    if (delayMs === undefined) return fail(reason)
    if (delayMs === 0) replace()
    else {
      restartTimer = after(() => {
        replace()
        refresh()
      }, delayMs)
    }
    refresh()
  }

  /** Opens another context, which plays what was not heard yet. */
  function replace(): void {
    const stopped = release()
    if (!stopped) return
    const { length } = stopped.unheard().samples
    before += stopped.given() - length
    // If no sound waits, the next `play` opens the loudspeaker.
    const next = length > 0 || stopped.openStream() ? open() : undefined
    if (next) next.takeOver(stopped)
    else before += length
    stopped.end()
  }

  function release(): Output | undefined {
    passMarks()
    clearTimeout(restartTimer)
    speaker?.stop()
    const released = output
    output = undefined
    return released
  }

  function fail(reason: AudioError): void {
    close()
    error = reason
    refresh()
  }

  function close(): void {
    passMarks()
    passMarks(true)
    restarts.reset()
    const released = release()
    before += released?.given() ?? 0
    released?.end()
    refresh()
  }

  function play(data: Int16Array | ArrayBuffer): void {
    // A copy, because its buffer is transferred to the audio thread.
    const samples: Samples = new Int16Array(
      data instanceof Int16Array ? data : new Int16Array(data, 0, data.byteLength >> 1),
    )
    if (samples.length === 0) return
    const current = error ? undefined : ready()
    if (!current || ms(current.waiting() + samples.length) > maxBufferedMs)
      counts.droppedMs += ms(samples.length)
    else current.give(samples)
    refresh()
  }

  const bufferedMs = (): number => ms(output?.waiting() ?? 0)

  return {
    get status() {
      return status
    },
    get error() {
      return error
    },
    get muted() {
      return muted
    },
    get paused() {
      return paused
    },
    unlock: () => {
      // Not only later, because a new context may begin to run here.
      if (output?.hasStopped() || output?.context.state === 'interrupted') replace()
      const context = ready()?.context
      if (context?.state === 'suspended') void context.resume().catch(() => undefined)
      refresh()
    },
    play,
    interrupt: () => {
      if (!output?.waiting()) return
      counts.interrupts += 1
      passMarks()
      output.interrupt()
      passMarks(true)
      refresh()
    },
    endOfSpeech: () => output?.endOfSpeech(),
    setMuted: (next) => {
      muted = next
      output?.updateControls()
      notify()
    },
    setPaused: (next) => {
      paused = next
      output?.updateControls()
      notify()
    },
    setVolume: (next) => {
      checkNumber('volume', next, 0, 1)
      volume = next
      output?.updateControls()
    },
    setDucking: (next) => {
      // Called for each frame of the microphone.
      if (next === ducking) return
      checkNumber('ducking', next, 0, 1)
      ducking = next
      output?.updateControls()
    },
    setDevice: (next) => {
      deviceId = next
      speaker?.choose(next)
    },
    bufferedMs,
    latencyMs: () => {
      const system = output ? systemLatency(output.context) : 0
      return bufferedMs() + ms(FILTER_SAMPLES) + system * 1_000
    },
    positionMs: () => ms(passed()),
    mark: (data) => {
      marks.push({ at: before + (output?.given() ?? 0), data })
      passMarks()
    },
    level: () => output?.level() ?? 0,
    counters: () => ({ ...counts }),
    stream: () => (error ? undefined : ready()?.stream()),
    subscribe,
    close,
  }
}

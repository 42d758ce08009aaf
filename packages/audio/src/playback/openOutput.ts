import { addWorklet } from '../sound/addWorklet.js'
import { type AudioError, toAudioError } from '../sound/AudioError.js'
import { newContext } from '../sound/newContext.js'
import type { Samples } from '../sound/pcm.js'
import { defaultWorkletUrl } from './defaultWorkletUrl.js'
import type { PlaybackOptions } from './PlaybackOptions.js'
import { systemLatency } from './systemLatency.js'

/** One use of the loudspeaker: a context with the worklet that plays. */
export interface Output {
  readonly context: AudioContext
  /** Takes samples to be heard after those before. */
  give(samples: Samples): void
  interrupt(): void
  endOfSpeech(): void
  /** What `controls` gives has changed. */
  updateControls(): void
  /** Samples that wait to be heard. */
  waiting(): number
  /** Samples that were given. */
  given(): number
  /** How many of them the ear is past: heard, dropped or interrupted. */
  passed(): number
  /** Loudest sample of the last 43 ms. */
  level(): number
  /** What is heard. Its track ends with the output. */
  stream(): MediaStream
  /** Gives the loudspeaker back. */
  end(): void
}

/** A message from playback.worklet.js. */
interface Report {
  /** Samples that were heard or dropped. */
  readonly position: number
  readonly playing: boolean
  /** 0 if nothing is heard. */
  readonly peak: number
  readonly underruns: number
  readonly pauses: number
  /** When, on the clock of the context. */
  readonly time: number
}

/** The `processorOptions` of playback.worklet.js. */
interface OutputSettings {
  readonly sampleRate: number
  readonly cushionMs: number
  readonly maxBufferedMs: number
}

interface OutputOptions {
  readonly workletUrl: PlaybackOptions['workletUrl']
  /** What `updateControls` sends to the audio thread. */
  readonly controls: () => Controls
  /** The output adds its own. */
  readonly counts: OutputCounts
  /** Sound began or ended, was let out, or was held back. */
  readonly onChange: () => void
  readonly onFailed: (error: AudioError) => void
}

/** What the audio thread does with the sound. */
interface Controls {
  /** 0 to 1. */
  readonly volume: number
  readonly paused: boolean
}

/** Of all outputs of a playback. */
interface OutputCounts {
  underruns: number
  pauses: number
  droppedMs: number
}

export const ACTION = 'open the loudspeaker'

/** Before the first report. */
const NOTHING: Report = { position: 0, playing: false, peak: 0, underruns: 0, pauses: 0, time: 0 }

/** Sound is live if this share of it came no faster than it is heard. */
const LIVE_SHARE = 2 / 3
/** What a page that stood still finds waiting is still live, up to this length. */
const LATE_MS = 250

/**
 * Creates the AudioContext before it returns, so that a call from the handler of a tap counts as the tap.
 * Throws if the browser refuses one.
 */
export function openOutput(settings: OutputSettings, options: OutputOptions): Output {
  const { sampleRate, cushionMs } = settings
  const { workletUrl = defaultWorkletUrl(), controls, counts, onChange, onFailed } = options
  const context = newContext(ACTION)
  let node: AudioWorkletNode | undefined
  let report = NOTHING
  /** Chunks that came while the audio thread did not run, and their samples. */
  let early: Samples[] = []
  let held = 0
  /**
   * How many of them, after the first chunk, came no faster than they are heard; how many more may, and when
   * the last came.
   */
  let live = 0
  let allowed = 0
  let lastAt = 0
  let speechEnded = false
  /** Samples that the audio thread was given. Those before `skipped` were interrupted. */
  let sent = 0
  let skipped = 0
  let given = 0
  /** Where the sound began that is heard now. */
  let beganAt = 0
  let ended = false
  let copy: MediaStreamAudioDestinationNode | undefined

  async function open(): Promise<void> {
    await addWorklet(context, workletUrl, ACTION)
    if (ended) return
    node = new AudioWorkletNode(context, 'stagepass-playback', {
      numberOfInputs: 0,
      processorOptions: settings,
    })
    node.port.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      counts.underruns += data.underruns - report.underruns
      counts.pauses += data.pauses - report.pauses
      if (data.playing && !report.playing) beganAt = data.position
      report = data
      advance()
    })
    node.port.start()
    updateControls()
    node.connect(context.destination)
    if (copy) node.connect(copy)
  }

  /**
   * The audio thread has run once, and runs now. Before that the clock of the context stands, and what is
   * given would wait.
   */
  const isRunning = (): boolean => report !== NOTHING && context.state === 'running'

  function advance(): void {
    if (ended) return
    if (held > 0 && isRunning()) giveEarly()
    onChange()
  }

  /**
   * Live sound that came while nothing could be heard is over: without this, the start of a context (up to
   * 1.3 s) would delay all that follows. A sender that was faster than speech, such as a TTS service, is not
   * live, and nothing of it is dropped.
   */
  function giveEarly(): void {
    const chunks = early
    const isLive = live > (held - chunks[0]!.length) * LIVE_SHARE
    let stale = isLive ? Math.max(0, held - inSamples(cushionMs)) : 0
    counts.droppedMs += (stale * 1_000) / sampleRate
    drop()
    for (const chunk of chunks) {
      if (stale < chunk.length) post(chunk.slice(stale))
      stale = Math.max(0, stale - chunk.length)
    }
    if (speechEnded) send('endOfSpeech')
  }

  const inSamples = (ms: number): number => Math.round((ms * sampleRate) / 1_000)

  function drop(): void {
    early = []
    held = 0
  }

  function send(message: object | string, transfer: Transferable[] = []): void {
    node?.port.postMessage(message, transfer)
  }

  const updateControls = (): void => send(controls())

  /** The audio thread takes the memory over. */
  function post({ buffer, length }: Samples): void {
    sent += length
    send({ samples: buffer }, [buffer])
  }

  /** Samples that the audio thread is past. */
  function rendered(): number {
    const { position, playing, time } = report
    return Math.min(sent, position + (playing ? Math.max(0, context.currentTime - time) * sampleRate : 0))
  }

  context.addEventListener('statechange', advance)
  open().catch((thrown: unknown) => {
    if (!ended) onFailed(toAudioError(ACTION, thrown))
  })

  return {
    context,
    give(samples) {
      given += samples.length
      speechEnded = false
      if (isRunning()) return post(samples)
      const now = performance.now()
      const { length } = samples
      if (held === 0) live = allowed = 0
      else {
        allowed = Math.min(Math.max(inSamples(LATE_MS), length), allowed + inSamples(now - lastAt))
        live += Math.min(allowed, length)
        allowed = Math.max(0, allowed - length)
      }
      lastAt = now
      held += length
      early.push(samples)
    },
    interrupt() {
      drop()
      skipped = sent
      send('interrupt')
    },
    endOfSpeech() {
      speechEnded = true
      send('endOfSpeech')
    },
    updateControls,
    waiting: () => held + Math.max(0, sent - Math.max(skipped, rendered())),
    given: () => given,
    passed() {
      const { playing, time } = report
      const system = systemLatency(context)
      // What the audio thread has rendered is heard later, also if it has rendered the last of it.
      const late = playing ? system : Math.max(0, system - (context.currentTime - time))
      const ear = Math.max(beganAt, rendered() - late * sampleRate)
      return given - held - Math.max(0, sent - Math.max(skipped, ear))
    },
    level: () => (isRunning() ? report.peak : 0),
    stream() {
      if (copy) return copy.stream
      copy = new MediaStreamAudioDestinationNode(context, { channelCount: 1 })
      node?.connect(copy)
      return copy.stream
    },
    end() {
      ended = true
      for (const track of copy?.stream.getTracks() ?? []) track.stop()
      void context.close()
    },
  }
}

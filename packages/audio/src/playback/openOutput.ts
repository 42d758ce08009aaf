import { addWorklet } from '../sound/addWorklet.js'
import { type AudioError, toAudioError } from '../sound/AudioError.js'
import { newContext } from '../sound/newContext.js'
import type { Samples } from '../sound/pcm.js'
import { defaultWorkletUrl } from './defaultWorkletUrl.js'
import type { PlaybackOptions } from './PlaybackOptions.js'
import { systemLatency } from './systemLatency.js'

/** One use of the loudspeaker: a context with the playback worklet. */
export interface Output {
  readonly context: AudioContext
  /** Appends samples. */
  give(samples: Samples): void
  interrupt(): void
  endOfSpeech(): void
  /** Call it when the result of `controls` has changed. */
  updateControls(): void
  /** Samples that wait to be heard. */
  waiting(): number
  /** Samples that were appended. */
  given(): number
  /** Samples that the listener is past: heard, dropped or interrupted. */
  passed(): number
  /** Loudest sample of the last 43 ms. */
  level(): number
  /** The sound that is heard. Its track ends with the output. */
  stream(): MediaStream
  /** Releases the loudspeaker. */
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
  /** Time of the report, on the clock of the context. */
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
  /** The controls that `updateControls` sends to the audio thread. */
  readonly controls: () => Controls
  /** The output adds its counts to these. */
  readonly counts: OutputCounts
  /** Called when sound begins or ends, or when the browser allows or blocks it. */
  readonly onChange: () => void
  readonly onFailed: (error: AudioError) => void
}

/** Settings of the audio thread. */
interface Controls {
  /** 0 to 1. */
  readonly volume: number
  readonly paused: boolean
}

/** Sums over all outputs of a playback. */
interface OutputCounts {
  underruns: number
  pauses: number
  droppedMs: number
}

export const ACTION = 'open the loudspeaker'

/** The state before the first report. */
const NOTHING: Report = { position: 0, playing: false, peak: 0, underruns: 0, pauses: 0, time: 0 }

/** Sound is live if this share of it came no faster than real time. */
const LIVE_SHARE = 2 / 3
/** After a page was blocked, many chunks come at once. Up to this length they still count as live. */
const LATE_MS = 250

/**
 * Creates the AudioContext before it returns, so that the browser sees it in the handler of the tap. Throws
 * if the browser refuses a context.
 */
export function openOutput(settings: OutputSettings, options: OutputOptions): Output {
  const { sampleRate, cushionMs } = settings
  const { workletUrl = defaultWorkletUrl(), controls, counts, onChange, onFailed } = options
  const context = newContext(ACTION)
  let node: AudioWorkletNode | undefined
  let report = NOTHING
  /** Chunks that came while the audio thread did not run, and the number of their samples. */
  let early: Samples[] = []
  let earlyCount = 0
  /**
   * Of these samples, after the first chunk: how many came no faster than real time, how many more may come
   * so, and when the last came.
   */
  let live = 0
  let allowed = 0
  let lastAt = 0
  let speechEnded = false
  /** Samples that were sent to the audio thread. Those before `skipped` were interrupted. */
  let sent = 0
  let skipped = 0
  let given = 0
  /** Position at which the current sound began. */
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
   * The audio thread has run once, and runs now. Before its first run the clock of the context does not move,
   * and samples would wait.
   */
  const isRunning = (): boolean => report !== NOTHING && context.state === 'running'

  function advance(): void {
    if (ended) return
    if (earlyCount > 0 && isRunning()) giveEarly()
    onChange()
  }

  /**
   * Drops live sound that came before the context ran: otherwise the start of the context (up to 1.3 s) would
   * delay all later sound. If the sender was faster than speech, such as a TTS service, the sound is not
   * live, and none is dropped.
   */
  function giveEarly(): void {
    const chunks = early
    const isLive = live > (earlyCount - chunks[0]!.length) * LIVE_SHARE
    let stale = isLive ? Math.max(0, earlyCount - inSamples(cushionMs)) : 0
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
    earlyCount = 0
  }

  function send(message: object | string, transfer: Transferable[] = []): void {
    node?.port.postMessage(message, transfer)
  }

  const updateControls = (): void => send(controls())

  /** Transfers the buffer to the audio thread. */
  function post({ buffer, length }: Samples): void {
    sent += length
    send({ samples: buffer }, [buffer])
  }

  /** Samples that the audio thread has rendered or dropped. */
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
      if (earlyCount === 0) live = allowed = 0
      else {
        allowed = Math.min(Math.max(inSamples(LATE_MS), length), allowed + inSamples(now - lastAt))
        live += Math.min(allowed, length)
        allowed = Math.max(0, allowed - length)
      }
      lastAt = now
      earlyCount += length
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
    waiting: () => earlyCount + Math.max(0, sent - Math.max(skipped, rendered())),
    given: () => given,
    passed() {
      const { playing, time } = report
      const system = systemLatency(context)
      // Rendered sound is heard later, also after the last sample was rendered.
      const late = playing ? system : Math.max(0, system - (context.currentTime - time))
      const ear = Math.max(beganAt, rendered() - late * sampleRate)
      return given - earlyCount - Math.max(0, sent - Math.max(skipped, ear))
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

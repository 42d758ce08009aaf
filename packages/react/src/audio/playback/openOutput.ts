import { AudioError } from '../sound/AudioError.js'
import type { Samples } from '../sound/pcm.js'
import { defaultWorkletUrl } from './defaultWorkletUrl.js'
import type { PlaybackOptions } from './PlaybackOptions.js'

/** One use of the loudspeaker: a context with the worklet that plays. */
export interface Output {
  readonly context: AudioContext
  /** Takes samples to be heard after those before. */
  give(samples: Samples): void
  interrupt(): void
  endOfSpeech(): void
  setVolume(volume: number): void
  /** Samples that wait to be heard. */
  waiting(): number
  /** Loudest sample of the last 43 ms. */
  level(): number
  /** Counts since it was opened; `dropped` in samples. */
  counts(): OutputCounts
  /** Gives the loudspeaker back. */
  end(): void
}

export interface OutputCounts {
  readonly underruns: number
  readonly pauses: number
  readonly dropped: number
}

/** What playback.worklet.js posts. */
interface Report {
  /** Samples that were heard or dropped. */
  readonly position: number
  readonly playing: boolean
  readonly peak: number
  readonly underruns: number
  readonly pauses: number
  /** When, on the clock of the context. */
  readonly time: number
}

export interface OutputSettings {
  readonly sampleRate: number
  readonly cushionMs: number
  readonly maxBufferedMs: number
  readonly workletUrl: PlaybackOptions['workletUrl']
  /** 0 to 1. */
  readonly volume: number
}

export interface OutputListeners {
  /** Sound began or ended, was let out, or was held back. */
  readonly onChange: () => void
  readonly onFailed: (error: AudioError) => void
}

const NOTHING: Report = { position: 0, playing: false, peak: 0, underruns: 0, pauses: 0, time: 0 }

/** Sound is live if this share of it came no faster than it is heard. */
const LIVE_SHARE = 2 / 3
/** What a page that stood still finds waiting is still live, up to this length. */
const LATE_MS = 250

/** Creates the AudioContext before it returns, so that a call from the handler of a tap counts as the tap. */
export function openOutput(settings: OutputSettings, { onChange, onFailed }: OutputListeners): Output {
  const { sampleRate, cushionMs } = settings
  const { workletUrl = defaultWorkletUrl() } = settings
  const context = new AudioContext({ latencyHint: 'interactive' })
  let node: AudioWorkletNode | undefined
  let report: Report | undefined
  /** Samples that came while the audio thread did not run. */
  let early: Samples[] = []
  /** How many of them, after the first chunk, came no faster than they are heard; how many more may, and when the last came. */
  let live = 0
  let allowed = 0
  let lastAt = 0
  let speechEnded = false
  let volume = settings.volume
  /** Samples since the beginning. Those before `skipped` were interrupted. */
  let given = 0
  let skipped = 0
  let dropped = 0
  let ended = false

  async function open(): Promise<void> {
    if (workletUrl === undefined) throw new Error('The CommonJS build does not know where the worklet is.')
    await context.audioWorklet.addModule(workletUrl)
    if (ended) return
    node = new AudioWorkletNode(context, 'stagepass-playback', {
      numberOfInputs: 0,
      outputChannelCount: [1],
      processorOptions: { sampleRate, cushionMs, capacity: capacityFor(settings) },
    })
    node.port.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      report = data
      if (early.length > 0) giveEarly()
      onChange()
    })
    node.port.start()
    send({ volume })
    node.connect(context.destination)
  }

  /** The audio thread has run once, and runs now. Before that the clock of the context stands, and what is given would wait. */
  const isRunning = (): boolean => report !== undefined && context.state === 'running'

  /**
   * Live sound that came while nothing could be heard is over: without this, the start of a context (up to 1.3 s) would delay all that
   * follows. A sender that was faster than speech, such as a TTS service, is not live, and nothing of it is dropped.
   */
  function giveEarly(): void {
    const chunks = early
    const length = earlyLength()
    early = []
    const isLive = live > (length - chunks[0]!.length) * LIVE_SHARE
    const kept = isLive ? inSamples(cushionMs) : length
    let stale = Math.max(0, length - kept)
    dropped += stale
    given -= stale
    for (const chunk of chunks) {
      if (stale < chunk.length) post(chunk.slice(stale))
      stale = Math.max(0, stale - chunk.length)
    }
    if (speechEnded) send('endOfSpeech')
  }

  const inSamples = (ms: number): number => Math.round((ms * sampleRate) / 1_000)

  const earlyLength = (): number => early.reduce((sum, chunk) => sum + chunk.length, 0)

  function send(message: object | string, transfer: Transferable[] = []): void {
    node?.port.postMessage(message, transfer)
  }

  /** The audio thread takes the memory over. */
  const post = ({ buffer }: Samples): void => send({ samples: buffer }, [buffer])

  function heard(): number {
    const { position, playing, time } = report ?? NOTHING
    const since = playing ? (context.currentTime - time) * sampleRate : 0
    return Math.max(skipped, position + Math.max(0, since))
  }

  context.addEventListener('statechange', () => {
    if (ended) return
    if (isRunning() && early.length > 0) giveEarly()
    onChange()
  })
  open().catch((thrown: unknown) => {
    if (!ended) onFailed(new AudioError('open the loudspeaker', 'WORKLET_BLOCKED', thrown))
  })

  return {
    context,
    give(samples) {
      given += samples.length
      speechEnded = false
      if (isRunning()) return post(samples)
      const now = performance.now()
      if (early.length === 0) live = allowed = 0
      else {
        const most = Math.max(inSamples(LATE_MS), samples.length)
        allowed = Math.min(most, allowed + inSamples(now - lastAt))
        const came = Math.min(allowed, samples.length)
        allowed -= came
        live += came
      }
      lastAt = now
      early.push(samples)
    },
    interrupt() {
      given -= earlyLength()
      early = []
      skipped = given
      send('interrupt')
    },
    endOfSpeech() {
      speechEnded = true
      send('endOfSpeech')
    },
    setVolume(next) {
      volume = next
      send({ volume })
    },
    waiting: () => Math.max(0, given - heard()),
    level: () => (report?.playing && isRunning() ? report.peak : 0),
    counts() {
      const { underruns, pauses } = report ?? NOTHING
      return { underruns, pauses, dropped }
    },
    end() {
      ended = true
      void context.close()
    },
  }
}

/** Room for what may wait, and for a second in which reports are on their way: a power of 2, because the worklet masks its positions. */
function capacityFor({ sampleRate, maxBufferedMs }: OutputSettings): number {
  return 2 ** Math.ceil(Math.log2((maxBufferedMs / 1_000 + 1) * sampleRate))
}

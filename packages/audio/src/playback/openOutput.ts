import { addWorklet } from '../sound/addWorklet.js'
import { type AudioError, toAudioError } from '../sound/AudioError.js'
import { newContext } from '../sound/newContext.js'
import type { Samples } from '../sound/pcm.js'
import { watchFlow } from '../sound/watchFlow.js'
import { createSent } from './createSent.js'
import { playbackWorkletUrl } from './playbackWorkletUrl.js'
import type { PlaybackOptions } from './PlaybackOptions.js'
import { systemLatency } from './systemLatency.js'

/** One use of the loudspeaker: a context with the playback worklet. */
export interface Output {
  readonly context: AudioContext
  /** Appends samples. */
  give(samples: Samples): void
  /** Continues for an output that has stopped: with its sound that was not heard yet, and its stream. */
  takeOver(stopped: Output): void
  /** The browser lets it run, and it has not stopped. */
  isSounding(): boolean
  /** It has run once. */
  hasRun(): boolean
  /** Nothing is heard from it any more. */
  hasStopped(): boolean
  /** Samples that were not heard yet, and whether the speech has ended after them. */
  unheard(): { readonly samples: Samples; readonly speechEnded: boolean }
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
  /** The result of `stream`, if it was called. */
  openStream(): MediaStream | undefined
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
  /** Without it the sound is only in `stream()`. */
  readonly audible: boolean
  /** The controls that `updateControls` sends to the audio thread. */
  readonly controls: () => Controls
  /** The output adds its counts to these. */
  readonly counts: OutputCounts
  /** Called when sound begins or ends, or when the browser allows or blocks it. */
  readonly onChange: () => void
  readonly onFailed: (error: AudioError) => void
  /** Called if nothing is heard any more from this context. `cause`: the event, if there was one. */
  readonly onStopped: (cause?: Event) => void
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
/**
 * After a page was blocked, many messages come at once. Up to this length, chunks still count as live, and
 * the position goes on without a report.
 */
const LATE_MS = 250

/**
 * Creates the AudioContext before it returns, so that the browser sees it in the handler of the tap. Throws
 * if the browser refuses a context.
 */
export function openOutput(settings: OutputSettings, options: OutputOptions): Output {
  const { sampleRate, cushionMs } = settings
  const {
    workletUrl = playbackWorkletUrl(),
    audible,
    controls,
    counts,
    onChange,
    onFailed,
    onStopped,
  } = options
  const context = newContext(ACTION)
  let node: AudioWorkletNode | undefined
  let report = NOTHING
  /** Chunks that came while the audio thread did not run, and the number of their samples. */
  let early: Samples[] = []
  let earlyCount = 0
  /** The first of these samples waited for another output already. They are never too old. */
  let takenOver = 0
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
  const kept = createSent()
  let reports = 0
  let stopped = false
  let given = 0
  /** Position at which the current sound began. */
  let beganAt = 0
  let ended = false
  let copy: MediaStreamAudioDestinationNode | undefined
  /** Ends with this output. */
  let copyTrack: MediaStreamTrack | undefined
  /** That of an earlier output, if it was taken over. */
  let stream: MediaStream | undefined

  async function open(): Promise<void> {
    await addWorklet(context, workletUrl, ACTION)
    if (ended) return
    node = new AudioWorkletNode(context, 'stagepass-playback', {
      numberOfInputs: 0,
      processorOptions: settings,
    })
    flow.addNode(node)
    node.port.addEventListener('message', ({ data }: MessageEvent<Report>) => {
      counts.underruns += data.underruns - report.underruns
      counts.pauses += data.pauses - report.pauses
      if (data.playing && !report.playing) beganAt = data.position
      // `passed` asks how long ago the last sample was rendered.
      const isStill = reports > 0 && !data.playing && !report.playing
      report = isStill ? { ...data, time: report.time } : data
      reports += 1
      kept.forget(Math.max(skipped, heard()))
      advance()
    })
    node.port.start()
    updateControls()
    // Silent, but connected: otherwise the audio thread would not run.
    if (audible) node.connect(context.destination)
    else node.connect(new GainNode(context, { gain: 0 })).connect(context.destination)
    if (copy) node.connect(copy)
  }

  /**
   * The audio thread has run once, and runs now. Before its first run the clock of the context does not move,
   * and samples would wait.
   */
  const isRunning = (): boolean => report !== NOTHING && isSounding()

  const isSounding = (): boolean => context.state === 'running' && !stopped

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
    const fresh = earlyCount - takenOver
    const first = chunks[takenOver > 0 ? 1 : 0]?.length ?? 0
    const isLive = live > (fresh - first) * LIVE_SHARE
    let stale = isLive ? Math.max(0, fresh - inSamples(cushionMs)) : 0
    counts.droppedMs += (stale * 1_000) / sampleRate
    if (takenOver > 0) post(chunks.shift()!)
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
    earlyCount = takenOver = 0
  }

  function send(message: object | string, transfer: Transferable[] = []): void {
    node?.port.postMessage(message, transfer)
  }

  const updateControls = (): void => send(controls())

  /** Sends a copy to the audio thread. */
  function post(samples: Samples): void {
    sent += samples.length
    kept.add(samples)
    const { buffer } = samples.slice()
    send({ samples: buffer }, [buffer])
  }

  /**
   * Samples that the audio thread has rendered or dropped. Between two reports the clock of the context says
   * it, but not longer: the worklet may have ended.
   */
  function rendered(): number {
    const { position, playing, time } = report
    const sinceReport = Math.min(LATE_MS / 1_000, Math.max(0, context.currentTime - time))
    const since = playing && !stopped ? sinceReport : 0
    return Math.min(sent, position + since * sampleRate)
  }

  /** Samples that the listener was past at the last report. */
  function heard(): number {
    const { playing, position } = report
    return playing ? Math.max(beganAt, position - systemLatency(context) * sampleRate) : position
  }

  const flow = watchFlow(context, {
    progress: () => reports,
    // A suspended context waits for a tap.
    isExpected: () =>
      node !== undefined &&
      context.state === 'running' &&
      (earlyCount > 0 || sent > Math.max(skipped, report.position)),
    onStopped: stop,
    onInterrupted: stop,
  })

  function stop(cause?: Event): void {
    stopped = true
    onStopped(cause)
  }

  function openCopy(): MediaStreamAudioDestinationNode {
    copy = new MediaStreamAudioDestinationNode(context, { channelCount: 1 })
    copyTrack = copy.stream.getTracks()[0]
    node?.connect(copy)
    return copy
  }

  context.addEventListener('statechange', advance)
  open().catch((thrown: unknown) => {
    if (ended) return
    stopped = true
    flow.stop()
    onFailed(toAudioError(ACTION, thrown))
  })

  return {
    context,
    give(samples) {
      given += samples.length
      speechEnded = false
      if (isRunning()) return post(samples)
      const now = performance.now()
      const { length } = samples
      if (earlyCount === takenOver) live = allowed = 0
      else {
        allowed = Math.min(Math.max(inSamples(LATE_MS), length), allowed + inSamples(now - lastAt))
        live += Math.min(allowed, length)
        allowed = Math.max(0, allowed - length)
      }
      lastAt = now
      earlyCount += length
      early.push(samples)
    },
    takeOver(stopped) {
      const { samples, speechEnded: isEnded } = stopped.unheard()
      if (samples.length > 0) {
        early.push(samples)
        given = earlyCount = takenOver = samples.length
        speechEnded = isEnded
      }
      stream = stopped.openStream()
      if (!stream) return
      for (const track of stream.getTracks()) stream.removeTrack(track)
      openCopy()
      if (!copyTrack) return
      stream.addTrack(copyTrack)
      // Browsers do not send it for a track that the page itself adds.
      stream.dispatchEvent(new MediaStreamTrackEvent('addtrack', { track: copyTrack }))
    },
    isSounding,
    hasRun: () => report !== NOTHING,
    hasStopped: () => stopped,
    unheard() {
      const chunks = [...kept.after(Math.max(skipped, heard())), ...early]
      const samples = new Int16Array(chunks.reduce((sum, { length }) => sum + length, 0))
      let at = 0
      for (const chunk of chunks) {
        samples.set(chunk, at)
        at += chunk.length
      }
      return { samples, speechEnded }
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
    stream: () => (stream ??= openCopy().stream),
    openStream: () => stream,
    end() {
      ended = true
      flow.stop()
      copyTrack?.stop()
      // It may be closed already.
      void context.close().catch(() => undefined)
    },
  }
}

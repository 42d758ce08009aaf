import { after, type Timer } from '../sound/after.js'
import { addWorklet } from '../sound/addWorklet.js'
import { AudioError } from '../sound/AudioError.js'
import { captureWorkletUrl } from './captureWorkletUrl.js'
import type { MicrophoneOptions } from './microphoneOptions.js'
import { ACTION, openMicrophone } from './microphones.js'
import { newContext } from '../sound/newContext.js'
import { FRAME_MS, SAMPLE_RATE, samplesPerFrame } from '../sound/pcm.js'
import { FIRST_MS, watchFlow } from '../sound/watchFlow.js'

/** The device that was opened. It may differ from the requested one. */
export interface OpenedDevice {
  readonly deviceId: string | undefined
  readonly label: string
}

/** One use of one device. */
export interface Capture {
  /**
   * Resolves with the first frame, or after `end`. Rejects with the browser's error; then no device is open.
   */
  readonly opened: Promise<OpenedDevice>
  /** Time from the sound to the arrival of the last frame, for its first sample. */
  latencyMs(): number
  setMuted(muted: boolean): void
  /** Ends the capture, but leaves the device open for the next one. `undefined` if no device is open. */
  handOver(): MediaStream | undefined
  /** Releases the device, also while it is being opened. No listener is called afterwards. */
  end(): void
}

interface CaptureListeners {
  readonly onFrame: (frame: ArrayBuffer, peak: number) => void
  /**
   * Called if the device was removed, or if the system stopped the capture and did not resume it: open the
   * device again.
   */
  readonly onLost: () => void
  /** Called if no frame comes any more, though the device is there. */
  readonly onStopped: (error: AudioError) => void
  /** Called when the system takes the microphone for some time, or returns it. */
  readonly onSuspended: (suspended: boolean) => void
}

/** A message from capture.worklet.js. */
interface CaptureMessage {
  readonly frame: ArrayBuffer
  readonly peak: number
  /** Time at which the frame was full, on the clock of the context. */
  readonly time: number
}

/** The same as `FIRST_MS`, if the device was handed over: then the device itself may be the cause. */
const FIRST_AFTER_HAND_OVER_MS = 1_500
/**
 * A track is also muted for a moment when it begins. If it is muted for longer than this, the system has
 * taken it.
 */
const SUSPENDED_MS = 2_000
/** Delay of the worklet's filter. */
const FILTER_MS = 1.1

/**
 * Creates the AudioContext before it returns, so that the browser sees it in the handler of the tap. With the
 * stream of an earlier capture it opens no device.
 */
export function openCapture(
  options: MicrophoneOptions,
  deviceId: string | undefined,
  initiallyMuted: boolean,
  { onFrame, onLost, onStopped, onSuspended }: CaptureListeners,
  handedOver?: MediaStream,
): Capture {
  const { sampleRate = SAMPLE_RATE, workletUrl = captureWorkletUrl(), source } = options
  const listening = new AbortController()
  let context: AudioContext | undefined
  /** What the context hears. */
  let heard = handedOver
  let track = handedOver && liveTrackOf(handedOver)
  let frames = 0
  let muted = initiallyMuted
  let ended = false
  /** Time from a full frame to its arrival here. */
  let handOverMs = 0
  let mutedTimer: Timer | undefined
  let endWait = (): void => {}
  let endWatch = (): void => {}
  /** Called if the device is removed. Before the first frame this rejects `opened`. */
  let lose = onLost

  function end(keepsDevice = false): void {
    // The device may have been handed over.
    if (ended) return
    ended = true
    endWait()
    endWatch()
    clearTimeout(mutedTimer)
    listening.abort()
    if (!source && !keepsDevice) track?.stop()
    // It may be closed already.
    void context?.close().catch(() => undefined)
    context = undefined
  }

  async function open(): Promise<OpenedDevice> {
    const output = newContext(ACTION)
    context = output

    heard ??= await openSound()
    track = liveTrackOf(heard)
    if (!track) throw new AudioError(ACTION, 'NO_DEVICE')
    if (!source) track.enabled = !muted
    watch(track)
    if (!ended) await addWorklet(output, workletUrl, ACTION)
    else if (!source) track.stop()
    if (!ended) await connect(output, track, heard)
    return { deviceId: track.getSettings().deviceId, label: track.label }
  }

  async function openSound(): Promise<MediaStream> {
    if (!source) return openMicrophone(options, deviceId)
    const given = typeof source === 'function' ? await source() : source
    const live = liveTrackOf(given)
    return new MediaStream(live ? [live] : [])
  }

  function watch(microphone: MediaStreamTrack): void {
    const { signal } = listening
    microphone.addEventListener('ended', () => lose(), { signal })
    const suspend = (): void => {
      mutedTimer = after(() => onSuspended(true), SUSPENDED_MS)
    }
    microphone.addEventListener('mute', suspend, { signal })
    const resume = (): void => {
      clearTimeout(mutedTimer)
      onSuspended(false)
    }
    microphone.addEventListener('unmute', resume, { signal })
    if (microphone.muted && !ended) suspend()
  }

  /** Resolves with the first frame, because nothing else shows that the browser lets the context run. */
  function connect(context: AudioContext, microphone: MediaStreamTrack, stream: MediaStream): Promise<void> {
    return new Promise((resolve, reject) => {
      endWait = resolve
      lose = () => reject(new AudioError(ACTION, 'DEVICE_LOST'))
      const flow = watchFlow(context, {
        progress: () => frames,
        // If the system has taken the microphone, `suspended` says so.
        isExpected: () => frames === 0 || !microphone.muted,
        firstMs: handedOver ? FIRST_AFTER_HAND_OVER_MS : FIRST_MS,
        onStopped: (cause) => {
          const error = new AudioError(ACTION, 'NO_SOUND', cause)
          if (frames === 0) reject(error)
          else onStopped(error)
        },
        // On iOS the context is silent after a resume, but a new context works.
        onInterrupted: () => lose(),
      })
      endWatch = flow.stop
      hear(context, stream, flow).catch(reject)
    })
  }

  /**
   * Creates the source only when the context runs. Otherwise a browser may buffer sound, and all frames would
   * be late by that time.
   */
  async function hear(
    context: AudioContext,
    stream: MediaStream,
    flow: ReturnType<typeof watchFlow>,
  ): Promise<void> {
    await context.resume()
    if (ended) return
    const node = new AudioWorkletNode(context, 'stagepass-capture', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
      processorOptions: { sampleRate, frameLength: samplesPerFrame(sampleRate) },
    })
    flow.addNode(node)
    node.port.addEventListener('message', ({ data }: MessageEvent<CaptureMessage>) => {
      if (ended) return
      frames += 1
      lose = onLost
      endWait()
      handOverMs = Math.max(0, (context.currentTime - data.time) * 1_000)
      // There is no event if the application stops its own track.
      if (track?.readyState === 'ended') return lose()
      if (!source || !muted) return onFrame(data.frame, data.peak)
      onFrame(new ArrayBuffer(data.frame.byteLength), 0)
    })
    node.port.start()
    context.createMediaStreamSource(stream).connect(node)
  }

  const opened = open()
  opened.catch(() => end())
  return {
    opened,
    setMuted(next) {
      muted = next
      if (track && !source) track.enabled = !next
    },
    latencyMs() {
      // Specified, but not in every browser.
      const { latency = 0 } = (track?.getSettings() ?? {}) as { latency?: number }
      return latency * 1_000 + FRAME_MS + FILTER_MS + handOverMs
    },
    handOver() {
      if (track?.readyState !== 'live') return undefined
      end(true)
      return heard
    },
    end: () => end(),
  }
}

const liveTrackOf = (stream: MediaStream): MediaStreamTrack | undefined =>
  stream.getAudioTracks().find(({ readyState }) => readyState === 'live')

import { addWorklet } from '../sound/addWorklet.js'
import { AudioError } from '../sound/AudioError.js'
import { defaultWorkletUrl } from './defaultWorkletUrl.js'
import type { MicrophoneOptions } from './microphoneOptions.js'
import { ACTION, openMicrophone } from './microphones.js'
import { newContext } from '../sound/newContext.js'
import { FRAME_MS, SAMPLE_RATE, samplesPerFrame } from '../sound/pcm.js'

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

/** The longest time from the open device to the first frame. */
const FIRST_FRAME_MS = 3_000
/**
 * A track is also muted for a moment when it begins. If it is muted for longer than this, the system has
 * taken it.
 */
const SUSPENDED_MS = 2_000
/** Delay of the worklet's filter. */
const FILTER_MS = 1.1

/** Creates the AudioContext before it returns, so that the browser sees it in the handler of the tap. */
export function openCapture(
  options: MicrophoneOptions,
  deviceId: string | undefined,
  initiallyMuted: boolean,
  { onFrame, onLost, onSuspended }: CaptureListeners,
): Capture {
  const { sampleRate = SAMPLE_RATE, workletUrl = defaultWorkletUrl(), source } = options
  const listening = new AbortController()
  let context: AudioContext | undefined
  let track: MediaStreamTrack | undefined
  let muted = initiallyMuted
  let ended = false
  /** Time from a full frame to its arrival here. */
  let handOverMs = 0
  let mutedTimer: ReturnType<typeof setTimeout> | undefined
  let endWait = (): void => {}
  /** Called if the device is removed. Before the first frame this rejects `opened`. */
  let lose = onLost

  function end(): void {
    ended = true
    endWait()
    clearTimeout(mutedTimer)
    listening.abort()
    if (!source) track?.stop()
    void context?.close()
    context = undefined
  }

  async function open(): Promise<OpenedDevice> {
    const output = newContext(ACTION)
    context = output

    const given = typeof source === 'function' ? await source() : source
    const stream = given ?? (await openMicrophone(options, deviceId))
    const microphone = stream.getAudioTracks().find(({ readyState }) => readyState === 'live')
    if (!microphone) throw new AudioError(ACTION, 'NO_DEVICE')
    track = microphone
    if (!source) track.enabled = !muted
    watch(track)
    if (!ended) await addWorklet(output, workletUrl, ACTION)
    else if (!source) track.stop()
    if (!ended) await connect(output, source ? new MediaStream([track]) : stream)
    return { deviceId: track.getSettings().deviceId, label: track.label }
  }

  function watch(microphone: MediaStreamTrack): void {
    const { signal } = listening
    microphone.addEventListener('ended', () => lose(), { signal })
    const suspend = (): void => {
      mutedTimer = setTimeout(() => onSuspended(true), SUSPENDED_MS)
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
  function connect(context: AudioContext, stream: MediaStream): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new AudioError(ACTION, 'NO_SOUND')), FIRST_FRAME_MS)
      endWait = () => {
        clearTimeout(timer)
        resolve()
      }
      lose = () => reject(new AudioError(ACTION, 'DEVICE_LOST'))
      watchInterruption(context)
      hear(context, stream).catch(reject)
    })
  }

  /**
   * Creates the source only when the context runs. Otherwise a browser may buffer sound, and all frames would
   * be late by that time.
   */
  async function hear(context: AudioContext, stream: MediaStream): Promise<void> {
    await context.resume()
    if (ended) return
    const node = new AudioWorkletNode(context, 'stagepass-capture', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
      processorOptions: { sampleRate, frameLength: samplesPerFrame(sampleRate) },
    })
    node.port.addEventListener('message', ({ data }: MessageEvent<CaptureMessage>) => {
      if (ended) return
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

  /**
   * After a phone call iOS may leave the context suspended. It is silent after a resume, but a new context
   * works.
   */
  function watchInterruption(context: AudioContext): void {
    let interrupted = false
    context.addEventListener('statechange', () => {
      if (context.state === 'suspended' && interrupted && !ended) lose()
      interrupted = context.state === 'interrupted'
    })
  }

  const opened = open()
  opened.catch(end)
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
    end,
  }
}

import { AudioError } from '../sound/AudioError.js'
import { defaultWorkletUrl } from './defaultWorkletUrl.js'
import type { MicrophoneOptions } from './microphoneOptions.js'
import { openMicrophone } from './microphones.js'
import { SAMPLE_RATE, samplesPerFrame } from '../sound/pcm.js'

/** One use of one device. */
export interface Capture {
  /** Resolves with the first frame, or after `end`. Rejects with whatever the browser threw; then nothing is held. */
  readonly opened: Promise<{ deviceId: string | undefined; label: string }>
  setMuted(muted: boolean): void
  /** Gives the device back, also while it is being opened. Nothing is called back afterwards. */
  end(): void
}

export interface CaptureListeners {
  readonly onFrame: (frame: ArrayBuffer, peak: number) => void
  /** The device went away. */
  readonly onLost: (error: AudioError) => void
  /** The system stopped the capture and did not resume it: it must be opened again. */
  readonly onStale: () => void
}

/** What capture.worklet.js posts. */
interface CaptureMessage {
  readonly frame: ArrayBuffer
  readonly peak: number
}

const ACTION = 'open the microphone'

/** The longest time until the first frame, once the device is open. */
const FIRST_FRAME_MS = 3_000

/** Creates the AudioContext before it returns, so that a call from the handler of a tap counts as the tap. */
export function openCapture(
  options: MicrophoneOptions,
  deviceId: string | undefined,
  initiallyMuted: boolean,
  { onFrame, onLost, onStale }: CaptureListeners,
): Capture {
  const { sampleRate = SAMPLE_RATE } = options
  const { workletUrl = defaultWorkletUrl() } = options
  let context: AudioContext | undefined
  let track: MediaStreamTrack | undefined
  let muted = initiallyMuted
  let ended = false
  let endWait = (): void => {}

  function end(): void {
    ended = true
    endWait()
    track?.stop()
    void context?.close()
    context = undefined
  }

  async function open(): Promise<{ deviceId: string | undefined; label: string }> {
    // Absent on a page that may have no microphone.
    const devices = navigator.mediaDevices as MediaDevices | undefined
    if (!devices) throw new AudioError(ACTION, 'INSECURE_CONTEXT')
    const output = new AudioContext()
    context = output

    const stream = await openMicrophone(devices, options.processing, deviceId)
    const [microphone] = stream.getAudioTracks()
    if (!microphone) throw new AudioError(ACTION, 'NO_DEVICE')
    track = microphone
    track.enabled = !muted
    track.addEventListener('ended', () => ended || onLost(new AudioError(ACTION, 'DEVICE_LOST')))
    if (ended) track.stop()
    else if (workletUrl === undefined)
      blocked(new Error('The CommonJS build does not know where the worklet is.'))
    else await output.audioWorklet.addModule(workletUrl).catch(blocked)
    if (!ended) await connect(output, stream)
    return { deviceId: track.getSettings().deviceId, label: track.label }
  }

  /** Resolves with the first frame: a context that the browser does not let run looks like any other. */
  function connect(context: AudioContext, stream: MediaStream): Promise<void> {
    const node = new AudioWorkletNode(context, 'stagepass-capture', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
      processorOptions: { sampleRate, frameLength: samplesPerFrame(sampleRate) },
    })
    context.createMediaStreamSource(stream).connect(node)
    watchInterruption(context)
    void context.resume()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new AudioError(ACTION, 'NO_SOUND')), FIRST_FRAME_MS)
      endWait = () => {
        clearTimeout(timer)
        resolve()
      }
      node.port.addEventListener('message', ({ data }: MessageEvent<CaptureMessage>) => {
        endWait()
        if (!ended) onFrame(data.frame, data.peak)
      })
      node.port.start()
    })
  }

  /** After a phone call iOS may leave the context suspended, and resuming it gives silence. A new one works. */
  function watchInterruption(context: AudioContext): void {
    let interrupted = false
    context.addEventListener('statechange', () => {
      if (context.state === 'suspended' && interrupted && !ended) onStale()
      interrupted = context.state === 'interrupted'
    })
  }

  const opened = open()
  opened.catch(end)
  return {
    opened,
    setMuted(next) {
      muted = next
      if (track) track.enabled = !next
    },
    end,
  }
}

function blocked(cause: unknown): never {
  throw new AudioError(ACTION, 'WORKLET_BLOCKED', cause)
}

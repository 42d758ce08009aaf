import { FRAME_MS, pacedFrames } from '@stagepass/audio'
import type { UseVoiceSessionResult } from '@stagepass/react/audio'
import { useEffect, useEffectEvent, useRef, useState } from 'react'

/** Samples per second of the service's sound. */
const SAMPLE_RATE = 16_000
const SAMPLES_A_FRAME = (SAMPLE_RATE * FRAME_MS) / 1_000
/** The progress renders ten times a second, for fifty frames. */
const SHOW_EVERY_FRAMES = 5
/** Up to this much may be on its way. A second of sound has 32,000. */
const MAX_UNSENT_BYTES = 16_000
/** In these states a stream does not open by itself. */
const ENDED: ReadonlySet<string> = new Set(['idle', 'closed', 'failed'])

/** Resampling may go a little over full scale. */
const toPcm16 = (sample: number): number => Math.max(-0x8000, Math.min(0x7fff, Math.round(sample * 0x8000)))

async function load(silenceMs: number): Promise<Int16Array> {
  const response = await fetch('/recordings/sense-and-sensibility.wav')
  // The browser decodes, and brings the sound to the rate of the context.
  const context = new OfflineAudioContext({ length: 1, sampleRate: SAMPLE_RATE })
  const sound = await context.decodeAudioData(await response.arrayBuffer())
  const samples = new Int16Array(sound.length + (silenceMs * SAMPLE_RATE) / 1_000)
  samples.set(Int16Array.from(sound.getChannelData(0), toPcm16))
  return samples
}

/** `over`: all is sent, and the stream is still open. */
export type RecordingState = 'idle' | 'on' | 'paused' | 'over'

interface RecordingOptions {
  /** Silence after the recording, because silence ends the last sentence. Default 0. */
  readonly silenceMs?: number | undefined
  readonly onFrame?: ((frame: ArrayBuffer) => void) | undefined
  /** All is sent. */
  readonly onEnd?: (() => void) | undefined
}

/**
 * Sends a recording like a microphone: a frame of 640 bytes every 20 ms. It waits while the stream is not
 * open, and then continues at the same place.
 */
export function useRecording(
  { stream, status }: UseVoiceSessionResult<never, unknown>,
  { silenceMs = 0, onFrame, onEnd }: RecordingOptions,
) {
  const [state, setState] = useState<RecordingState>('idle')
  const [share, setShare] = useState(0)
  const [error, setError] = useState('')
  const samples = useRef<Int16Array>(undefined)
  const sentFrames = useRef(0)

  const loadOnce = useEffectEvent(async () => (samples.current ??= await load(silenceMs)))
  const take = useEffectEvent((frame: ArrayBuffer, length: number) => {
    stream.send(frame)
    onFrame?.(frame)
    sentFrames.current += 1
    if (sentFrames.current % SHOW_EVERY_FRAMES === 0)
      setShare((sentFrames.current * SAMPLES_A_FRAME) / length)
  })
  const isBehind = useEffectEvent(() => {
    const { queued, bufferedBytes } = stream.stats()
    return queued > 0 || bufferedBytes > MAX_UNSENT_BYTES
  })
  const end = useEffectEvent((error = '') => {
    setError(error)
    setState(error ? 'idle' : 'over')
    onEnd?.()
  })
  const isSending = state === 'on' && stream.status === 'open'
  useEffect(() => {
    if (!isSending) return undefined
    const sending = new AbortController()
    const { signal } = sending
    const send = async (): Promise<void> => {
      const all = await loadOnce()
      const rest = all.subarray(sentFrames.current * SAMPLES_A_FRAME)
      for await (const frame of pacedFrames(rest, { signal })) {
        take(frame, all.length)
        // Live sound that waits for a slow network is dropped. A recording has time.
        while (!signal.aborted && isBehind()) await new Promise((resolve) => setTimeout(resolve, FRAME_MS))
      }
    }
    send().then(
      () => (signal.aborted ? undefined : end()),
      () => end('The recording could not be loaded. Reload the page and try again.'),
    )
    return () => sending.abort()
  }, [isSending])

  // The stream has ended, or the microphone was started.
  if (state !== 'idle' && (ENDED.has(stream.status) || !ENDED.has(status))) setState('idle')

  return {
    state,
    /** The part that was sent, 0 to 1. */
    share,
    error,
    /** Also opens the stream. */
    start: (): void => {
      sentFrames.current = 0
      setShare(0)
      setError('')
      setState('on')
      stream.open()
    },
    pause: (): void => setState('paused'),
    resume: (): void => setState('on'),
    stop: (): void => setState('idle'),
  }
}

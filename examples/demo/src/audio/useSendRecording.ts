import type { StreamStatus } from '@stagepass/react'
import { FRAME_MS, pacedFrames } from '@stagepass/audio'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'

const RECORDING_URL = '/recordings/sense-and-sensibility.wav'

/**
 *                 stream is open            all is sent
 *   idle ──▶ waiting ──────────▶ sending ────────────────▶ idle
 *              │                    │
 *              └── cancelled, or the stream has ended ──▶ idle
 */
export type RecordingState =
  | { readonly status: 'idle' }
  | { readonly status: 'waiting' }
  | { readonly status: 'sending'; readonly sentMs: number; readonly totalMs: number }
  | { readonly status: 'failed'; readonly reason: string }

/** Samples a second that the service takes. */
const SAMPLE_RATE = 16_000
const SAMPLES_PER_MS = SAMPLE_RATE / 1_000

/** The bar moves ten times a second; a frame is sent fifty times. */
const SHOW_EVERY_FRAMES = 5

/** A stream that has ended opens when a person asks for it, and not by itself. */
const ENDED: ReadonlySet<StreamStatus> = new Set<StreamStatus>(['idle', 'closed', 'failed'])

/** Resampling may go a little over full scale. */
const toPcm16 = (sample: number): number => Math.max(-0x8000, Math.min(0x7fff, Math.round(sample * 0x8000)))

async function loadRecording({ signal }: { readonly signal: AbortSignal }): Promise<Int16Array<ArrayBuffer>> {
  const response = await fetch(RECORDING_URL, { signal })
  // The browser decodes, and brings the sound to the rate of the context.
  const context = new OfflineAudioContext({ length: 1, sampleRate: SAMPLE_RATE })
  const sound = await context.decodeAudioData(await response.arrayBuffer())
  return Int16Array.from(sound.getChannelData(0), toPcm16)
}

function withSilence(samples: Int16Array, silenceMs: number): Int16Array {
  const longer = new Int16Array(samples.length + silenceMs * SAMPLES_PER_MS)
  longer.set(samples)
  return longer
}

/**
 * Sends the bundled recording as a microphone would: a frame of 640 bytes every 20 ms, from the moment at
 * which the stream is open, and silence at the end. Without the silence the service still waits for the rest
 * of the last sentence.
 */
export function useSendRecording(
  stream: StreamStatus,
  silenceMs: number,
  onFrame: (frame: ArrayBuffer) => void,
) {
  const [state, setState] = useState<RecordingState>({ status: 'idle' })
  const queryClient = useQueryClient()
  const sending = useRef<AbortController>(undefined)
  const waiting = state.status === 'waiting'
  const wanted = waiting || state.status === 'sending'

  const send = useEffectEvent(async (): Promise<void> => {
    const mine = new AbortController()
    sending.current = mine
    const show = (next: RecordingState): void => {
      if (!mine.signal.aborted) setState(next)
    }
    try {
      const recording = await queryClient.fetchQuery({
        queryKey: ['recording'],
        queryFn: loadRecording,
        staleTime: Infinity,
      })
      const samples = withSilence(recording, silenceMs)
      let frames = 0
      for await (const frame of pacedFrames(samples, { signal: mine.signal })) {
        onFrame(frame)
        frames += 1
        if (frames % SHOW_EVERY_FRAMES !== 1) continue
        show({ status: 'sending', sentMs: frames * FRAME_MS, totalMs: samples.length / SAMPLES_PER_MS })
      }
      show({ status: 'idle' })
    } catch {
      show({ status: 'failed', reason: 'The recording could not be loaded. Reload the page and try again.' })
    }
  })

  // Nothing is left to wait for.
  if (wanted && ENDED.has(stream)) setState({ status: 'idle' })

  const isOpen = stream === 'open'
  useEffect(() => {
    if (waiting && isOpen) void send()
  }, [waiting, isOpen])

  useEffect(() => {
    if (!wanted) return undefined
    return () => sending.current?.abort()
  }, [wanted])

  return {
    state,
    start: () => setState({ status: 'waiting' }),
    cancel: () => setState({ status: 'idle' }),
  }
}

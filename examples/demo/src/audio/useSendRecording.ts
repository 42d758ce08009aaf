import { FRAME_MS, pacedFrames, parseWav } from '@stagepass/react/audio'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

const RECORDING_URL = '/recordings/sense-and-sensibility.wav'

export type RecordingState =
  | { readonly status: 'idle' }
  | { readonly status: 'sending'; readonly sentMs: number; readonly totalMs: number }
  | { readonly status: 'failed'; readonly reason: string }

/** The bar moves ten times a second; a frame is sent fifty times. */
const SHOW_EVERY_FRAMES = 5

async function loadRecording({ signal }: { readonly signal: AbortSignal }): Promise<Int16Array<ArrayBuffer>> {
  const response = await fetch(RECORDING_URL, { signal })
  return parseWav(await response.arrayBuffer()).samples
}

/** Sends the bundled recording as a microphone would: a frame of 640 bytes every 20 ms. */
export function useSendRecording(onFrame: (frame: ArrayBuffer) => void) {
  const [state, setState] = useState<RecordingState>({ status: 'idle' })
  const queryClient = useQueryClient()
  const sending = useRef<AbortController>(undefined)
  useEffect(() => () => sending.current?.abort(), [])

  async function start(): Promise<void> {
    sending.current?.abort()
    const mine = new AbortController()
    sending.current = mine
    try {
      const samples = await queryClient.fetchQuery({
        queryKey: ['recording'],
        queryFn: loadRecording,
        staleTime: Infinity,
      })
      let frames = 0
      for await (const frame of pacedFrames(samples, { signal: mine.signal })) {
        onFrame(frame)
        frames += 1
        if (frames % SHOW_EVERY_FRAMES !== 1) continue
        setState({ status: 'sending', sentMs: frames * FRAME_MS, totalMs: samples.length / 16 })
      }
      if (sending.current === mine) setState({ status: 'idle' })
    } catch {
      setState({
        status: 'failed',
        reason: 'The recording could not be loaded. Reload the page and try again.',
      })
    }
  }

  function cancel(): void {
    sending.current?.abort()
    setState({ status: 'idle' })
  }

  return { state, start, cancel }
}

import { type AudioStreamBuffer, requestRecordingPermissionsAsync, useAudioStream } from 'expo-audio'
import { useState } from 'react'

/** A source of sound: 16-bit PCM, little-endian, mono, 16,000 samples a second, as the service takes it. */
export interface Recorder {
  readonly isRecording: boolean
  /** A sentence for the person at the screen, or null. */
  readonly problem: string | null
  /** Asks for the permission first. Never rejects: a failure is the `problem`. */
  readonly start: () => Promise<void>
  readonly stop: () => void
}

const SAMPLE_RATE = 16_000

/** The microphone of the phone, by the module `expo-audio`. A browser has useRecorder.web.ts in its place. */
export function useRecorder(onFrame: (frame: ArrayBuffer) => void): Recorder {
  const [problem, setProblem] = useState<string | null>(null)
  const { stream, isStreaming } = useAudioStream({
    sampleRate: SAMPLE_RATE,
    channels: 1,
    encoding: 'int16',
    onBuffer: receive,
  })

  function receive({ data, sampleRate, channels }: AudioStreamBuffer): void {
    // A phone may record in another form than it was asked for. The service would hear noise.
    if (sampleRate === SAMPLE_RATE && channels === 1) onFrame(data)
    else {
      stream.stop()
      setProblem(
        `This phone records ${sampleRate} samples a second on ${channels} channels, not 16,000 on one.`,
      )
    }
  }

  async function start(): Promise<void> {
    setProblem(null)
    try {
      const { granted } = await requestRecordingPermissionsAsync()
      if (granted) await stream.start()
      else setProblem('The microphone is not allowed. Allow it in the settings of the phone.')
    } catch {
      setProblem('The microphone does not start. Another application may use it.')
    }
  }

  return { isRecording: isStreaming, problem, start, stop: () => stream.stop() }
}

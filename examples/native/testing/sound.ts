import type {
  AudioMode,
  AudioPlayer,
  AudioStatus,
  AudioStream,
  AudioStreamOptions,
  AudioStreamResult,
} from 'expo-audio'
import { useInsertionEffect, useState } from 'react'

/*
 * In tests, in place of `expo-audio` and of the files that it plays: a microphone and a loudspeaker without a
 * phone, of the same types. (`moduleNameMapper` in package.json.)
 */

/** What the microphone of a test hears, and whether the user allows it. */
export const microphone = {
  isAllowed: true,
  hear: (_samples: Int16Array<ArrayBuffer>, _sampleRate?: number): void => {},
}

/** The files that the loudspeaker of a test has played. */
export const loudspeaker = { played: [] as Uint8Array<ArrayBuffer>[] }

export const requestRecordingPermissionsAsync = async () => ({ granted: microphone.isAllowed })

export function useAudioStream({ onBuffer }: AudioStreamOptions = {}): AudioStreamResult {
  const [isStreaming, setIsStreaming] = useState(false)
  useInsertionEffect(() => {
    microphone.hear = ({ buffer }, sampleRate = 16_000) =>
      onBuffer?.({ data: buffer, sampleRate, channels: 1, timestamp: 0 })
  })
  const [stream] = useState(() => ({
    start: async () => setIsStreaming(true),
    stop: () => setIsStreaming(false),
  }))
  // The cast is safe: the application uses these two alone.
  return { stream: stream as unknown as AudioStream, isStreaming }
}

let saved: Uint8Array<ArrayBuffer> | undefined

export function saveSound(wav: Uint8Array<ArrayBuffer>): string {
  saved = wav
  return 'file:///spoken.wav'
}

export const setAudioModeAsync = async (_mode: Partial<AudioMode>): Promise<void> => {}

export function useAudioPlayer(): AudioPlayer {
  const [playing, setPlaying] = useState(false)
  const [player] = useState(() => ({
    replace() {},
    play() {
      if (saved) loudspeaker.played.push(saved)
      setPlaying(true)
    },
    pause: () => setPlaying(false),
  }))
  const used: unknown = { ...player, playing }
  // The cast is safe: the application uses these alone.
  return used as AudioPlayer
}

export const useAudioPlayerStatus = ({ playing }: AudioPlayer): AudioStatus => ({ playing }) as AudioStatus

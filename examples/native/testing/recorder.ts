import type { AudioStream, AudioStreamOptions, AudioStreamResult } from 'expo-audio'
import { useInsertionEffect, useState } from 'react'

/*
 * In tests, in place of `expo-audio`: a microphone without a phone, of the same types. (`moduleNameMapper` in
 * package.json.)
 */

/** What the microphone of a test hears, and whether the user allows it. */
export const microphone = {
  isAllowed: true,
  hear: (_samples: Int16Array<ArrayBuffer>, _sampleRate?: number): void => {},
}

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

import { useState } from 'react'
import type { Recorder } from './useRecorder'

/** In a browser the application shows its screens, but `expo-audio` gives no PCM there. */
export function useRecorder(): Recorder {
  const [problem, setProblem] = useState<string | null>(null)
  return {
    isRecording: false,
    problem,
    start: async () => setProblem('Captions need a phone: this browser has no recorder module.'),
    stop() {},
  }
}

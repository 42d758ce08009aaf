import { useMicrophone } from '@stagepass/react/audio'
import type { Recorder } from './useRecorder'

/** The microphone of a browser, in place of the phone's: to see the application without a phone. */
export function useRecorder(onFrame: (frame: ArrayBuffer) => void): Recorder {
  const microphone = useMicrophone({ onFrame })
  const { status, start, stop } = microphone
  const problem = status === 'failed' ? microphone.error.message : null
  return { isRecording: status === 'capturing', problem, start: () => start(), stop }
}

import { useEffect, useState, useSyncExternalStore } from 'react'
import { createMicrophone, type Microphone, type MicrophoneState } from './microphone/createMicrophone.js'
import type { MicrophoneOptions } from './microphone/microphoneOptions.js'

export interface UseMicrophoneOptions extends MicrophoneOptions {
  /** One frame of PCM16, 640 bytes at the defaults. Called outside React; pass it on to `stream.send`. May be inline. */
  readonly onFrame: (frame: ArrayBuffer) => void
}

export type UseMicrophoneResult = MicrophoneState & Omit<Microphone, 'state' | 'subscribe' | 'onFrame'>

/**
 * `createMicrophone` for one component: the device is given back when it unmounts. Frames and levels cause no render. Options other than
 * `onFrame` are read once.
 *
 *     const stream = useStream('stt')
 *     const microphone = useMicrophone({ onFrame: (frame) => stream.send(frame) })
 *     <button onClick={() => void microphone.start()}>Speak</button>
 */
export function useMicrophone({ onFrame, ...options }: UseMicrophoneOptions): UseMicrophoneResult {
  const [microphone] = useState(() => createMicrophone(options))
  useEffect(() => microphone.onFrame(onFrame), [microphone, onFrame])
  useEffect(() => microphone.stop, [microphone])
  const read = (): MicrophoneState => microphone.state
  return { ...microphone, ...useSyncExternalStore(microphone.subscribe, read, read) }
}

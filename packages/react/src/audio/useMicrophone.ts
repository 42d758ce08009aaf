import {
  createMicrophone,
  type Microphone,
  type MicrophoneOptions,
  type MicrophoneState,
} from '@stagepass/audio'
import { useEffect, useInsertionEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useIdentityEnd } from './useIdentityEnd.js'

/** Argument of `useMicrophone`. Only `onFrame` is required. */
export interface UseMicrophoneOptions extends MicrophoneOptions {
  /**
   * One frame of PCM16, 640 bytes at the defaults. Called outside React; pass it on to `stream.send`. May be
   * inline.
   */
  readonly onFrame: (frame: ArrayBuffer) => void
  /**
   * The microphone. A change takes effect at once. Default: that of the system, or the argument of `start`.
   */
  readonly deviceId?: string | undefined
}

/**
 * What `useMicrophone` returns: the state of the microphone, and its functions, which are the same at each
 * render.
 */
export type UseMicrophoneResult = MicrophoneState &
  Omit<Microphone, 'state' | 'subscribe' | 'onFrame' | 'setOptions'>

/**
 * `createMicrophone` for one component: the device is given back when it unmounts, and when the user of the
 * `VoiceProvider` changes. Frames and levels cause no render. `onFrame`, `deviceId` and a stream as `source`
 * may change while it captures; the other options are used when a device is opened next. Without its
 * `source`, it stops.
 *
 *     const stream = useStream('stt')
 *     const microphone = useMicrophone({ onFrame: (frame) => stream.send(frame) })
 *     <button onClick={() => void microphone.start()}>Speak</button>
 */
export function useMicrophone({ onFrame, deviceId, ...options }: UseMicrophoneOptions): UseMicrophoneResult {
  const [microphone] = useState(() => createMicrophone(options))
  const latestDevice = useRef(deviceId)
  useInsertionEffect(() => {
    microphone.setOptions(options)
    latestDevice.current = deviceId
  })
  // One function for good, so that an effect may depend on it.
  const [start] = useState(
    (): Microphone['start'] => (chosen) => microphone.start(chosen ?? { deviceId: latestDevice.current }),
  )
  useEffect(() => microphone.onFrame(onFrame), [microphone, onFrame])
  useEffect(() => microphone.stop, [microphone])
  useIdentityEnd(microphone.stop)
  // A function may be inline.
  const { source } = options
  const sourceKey = typeof source === 'function' ? 'function' : source
  const lastSource = useRef(sourceKey)
  useEffect(() => {
    const hadSource = lastSource.current
    lastSource.current = sourceKey
    const { status } = microphone.state
    if (status === 'idle' || status === 'failed') return
    // A user who shared a tab has not asked for a microphone.
    if (hadSource && !sourceKey) microphone.stop()
    else void microphone.start({ deviceId })
  }, [microphone, deviceId, sourceKey])

  const read = (): MicrophoneState => microphone.state
  const state = useSyncExternalStore(microphone.subscribe, read, read)
  return { ...microphone, ...state, start }
}

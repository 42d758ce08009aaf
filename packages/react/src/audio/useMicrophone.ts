import {
  createMicrophone,
  type Microphone,
  type MicrophoneOptions,
  type MicrophoneState,
} from '@stagepass/audio'
import { useEffect, useInsertionEffect, useRef, useState, useSyncExternalStore } from 'react'
import { sayUnknown } from '../errors/sayUnknown.js'
import { useIdentityEnd } from '../identity/useIdentityEnd.js'

/** Options of `useMicrophone`. Only `onFrame` is required. */
export interface UseMicrophoneOptions extends MicrophoneOptions {
  /**
   * One frame of PCM16, 640 bytes at the defaults. Called outside of React; pass it to `stream.send`. May be
   * an inline function.
   */
  readonly onFrame: (frame: ArrayBuffer) => void
  /**
   * The microphone to use. A change takes effect at once. Default: the system's microphone, or the argument
   * of `start`.
   */
  readonly deviceId?: string | undefined
}

/**
 * The result of `useMicrophone`: the state of the microphone, and functions that are the same at each render.
 */
export type UseMicrophoneResult = MicrophoneState &
  Omit<Microphone, 'state' | 'subscribe' | 'onFrame' | 'setOptions'>

/**
 * `createMicrophone` for one component. The device is released when the component unmounts, and when the user
 * of the `VoiceProvider` changes. Frames and levels cause no render. `onFrame`, `deviceId` and a stream as
 * `source` may change while it captures; other options apply when the next device is opened. If `source` is
 * removed, the microphone stops.
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
  // A stable function, so that an effect may depend on it.
  const [start] = useState(
    (): Microphone['start'] => (chosen) => microphone.start(chosen ?? { deviceId: latestDevice.current }),
  )
  useEffect(() => microphone.onFrame(onFrame), [microphone, onFrame])
  const client = useIdentityEnd(microphone.stop)
  if (process.env.NODE_ENV !== 'production' && client)
    sayUnknown(client.said, 'useMicrophone does not know the option', options, {
      sampleRate: true,
      source: true,
      processing: true,
      workletUrl: true,
    })
  // A function may be inline, so a new one is not a change.
  const { source } = options
  const sourceKey = typeof source === 'function' ? 'function' : source
  const lastSource = useRef(sourceKey)
  useEffect(() => {
    const hadSource = lastSource.current
    lastSource.current = sourceKey
    const { status } = microphone.state
    if (status === 'idle' || status === 'failed') return
    // A user who shared a tab has not allowed a microphone.
    if (hadSource && !sourceKey) microphone.stop()
    else void microphone.start({ deviceId })
  }, [microphone, deviceId, sourceKey])

  const read = (): MicrophoneState => microphone.state
  const state = useSyncExternalStore(microphone.subscribe, read, read)
  return { ...microphone, ...state, start }
}

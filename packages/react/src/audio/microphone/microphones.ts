import { createListeners } from '../../platform/createListeners.js'
import { AudioError, toAudioError } from '../sound/AudioError.js'
import { watchDevices } from '../sound/devices.js'
import type { MicrophoneOptions } from './microphoneOptions.js'

export const ACTION = 'open the microphone'

const allowed = createListeners()

/**
 * Calls back when the list may have become another: a device came or went, or this page or another was allowed a microphone. Browsers send no
 * `devicechange` when the devices get their names. Ends with `signal`.
 */
export function watchDeviceNames(listener: () => void, signal: AbortSignal): void {
  const undo = allowed.subscribe(listener)
  signal.addEventListener('abort', undo)
  watchDevices(listener, signal)
  const permission = navigator.permissions?.query({ name: 'microphone' })
  // Not every browser knows this name.
  permission?.then((status) => status.addEventListener('change', listener, { signal })).catch(() => undefined)
}

/** `'all'`: also what the page itself plays. A browser that does not know it reads it as `true`, as the specification says. */
const ECHO = { ideal: 'all' } as unknown as ConstrainBoolean
const PROCESSING = { echoCancellation: ECHO, noiseSuppression: true, autoGainControl: true }

/** Opens this microphone and no other. `undefined` is the default one. Rejects with whatever the browser threw. */
export async function openMicrophone(
  { processing = PROCESSING }: MicrophoneOptions,
  deviceId: string | undefined,
): Promise<MediaStream> {
  // Absent on a page that may have no microphone.
  const devices = navigator.mediaDevices as MediaDevices | undefined
  if (!devices) throw new AudioError(ACTION, 'INSECURE_CONTEXT')
  const device = deviceId === undefined ? {} : { deviceId: { exact: deviceId } }
  const stream = await devices.getUserMedia({ audio: { channelCount: 1, ...processing, ...device } })
  allowed.notify()
  return stream
}

/** Opens the microphone that was chosen, or the default one if that is missing (iOS gives devices new ids), or busy. */
export async function openChosenMicrophone(
  options: MicrophoneOptions,
  deviceId: string | undefined,
): Promise<MediaStream> {
  try {
    return await openMicrophone(options, deviceId)
  } catch (thrown) {
    const { code } = toAudioError(ACTION, thrown)
    if (deviceId === undefined || (code !== 'NO_DEVICE' && code !== 'DEVICE_BUSY')) throw thrown
    return openMicrophone(options, undefined)
  }
}

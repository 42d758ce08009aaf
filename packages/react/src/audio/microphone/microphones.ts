import { createListeners } from '../../platform/createListeners.js'
import { toAudioError } from '../sound/AudioError.js'
import { watchDevices } from '../sound/devices.js'

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

/**
 * Opens a microphone: `deviceId` exactly, or another one if that is not found (iOS gives devices new ids).
 */
export async function openMicrophone(
  devices: MediaDevices,
  processing: MediaTrackConstraints = PROCESSING,
  deviceId: string | undefined,
): Promise<MediaStream> {
  const ask = async (device: MediaTrackConstraints): Promise<MediaStream> => {
    const stream = await devices.getUserMedia({ audio: { channelCount: 1, ...processing, ...device } })
    allowed.notify()
    return stream
  }
  if (deviceId === undefined) return ask({})
  try {
    return await ask({ deviceId: { exact: deviceId } })
  } catch (thrown) {
    if (toAudioError('', thrown).code !== 'NO_DEVICE') throw thrown
    return ask({ deviceId: { ideal: deviceId } })
  }
}

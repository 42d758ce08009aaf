import { createListeners } from '../../platform/createListeners.js'
import { toAudioError } from '../sound/AudioError.js'

/** A microphone that can be chosen. */
export interface MicrophoneDevice {
  readonly deviceId: string
  /** Empty until the page was allowed a microphone once. */
  readonly label: string
}

/**
 * The microphones of this machine. Browsers name them only after one was allowed. Empty if the page may have
 * none.
 */
export async function listMicrophones(): Promise<MicrophoneDevice[]> {
  const devices = navigator.mediaDevices as MediaDevices | undefined
  const all = await devices?.enumerateDevices().catch(() => [])
  return all?.filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId) ?? []
}

const allowed = createListeners()

/**
 * Calls back when the list may have become another: a device came or went, or this page or another was allowed a microphone. Browsers send no
 * `devicechange` when the devices get their names. Ends with `signal`.
 */
export function watchMicrophones(listener: () => void, signal: AbortSignal): void {
  const undo = allowed.subscribe(listener)
  signal.addEventListener('abort', undo)
  watchDevices(listener, signal)
  const permission = navigator.permissions?.query({ name: 'microphone' })
  // Not every browser knows this name.
  permission?.then((status) => status.addEventListener('change', listener, { signal })).catch(() => undefined)
}

/** Calls back when a device came or went. Ends with `signal`. */
export function watchDevices(listener: () => void, signal: AbortSignal): void {
  // Absent on a page that may have no microphone.
  const devices = navigator.mediaDevices as MediaDevices | undefined
  devices?.addEventListener('devicechange', listener, { signal })
}

const PROCESSING = { echoCancellation: true, noiseSuppression: true, autoGainControl: true }

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

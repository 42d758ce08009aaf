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

const PROCESSING = { echoCancellation: true, noiseSuppression: true, autoGainControl: true }

/**
 * Opens a microphone: `deviceId` exactly, or another one if that is not found (iOS gives devices new ids).
 */
export async function openMicrophone(
  devices: MediaDevices,
  processing: MediaTrackConstraints = PROCESSING,
  deviceId: string | undefined,
): Promise<MediaStream> {
  const ask = (device: MediaTrackConstraints): Promise<MediaStream> =>
    devices.getUserMedia({ audio: { channelCount: 1, ...processing, ...device } })
  if (deviceId === undefined) return ask({})
  try {
    return await ask({ deviceId: { exact: deviceId } })
  } catch (thrown) {
    if (toAudioError('', thrown).code !== 'NO_DEVICE') throw thrown
    return ask({ deviceId: { ideal: deviceId } })
  }
}

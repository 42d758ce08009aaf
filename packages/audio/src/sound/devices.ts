/** A microphone or loudspeaker that can be chosen. */
export interface AudioDevice {
  readonly deviceId: string
  /** Empty until the page was allowed a microphone once. */
  readonly label: string
}

/** The devices that the page may choose from. Browsers name them only after a microphone was allowed. */
export async function listDevices(wanted: 'audioinput' | 'audiooutput'): Promise<AudioDevice[]> {
  // Firefox lists loudspeakers, and plays Web Audio on the default one only.
  if (wanted === 'audiooutput' && !canChooseSpeaker()) return []
  const devices = navigator.mediaDevices as MediaDevices | undefined
  const all = await devices?.enumerateDevices().catch(() => [])
  return all?.filter(({ kind, deviceId }) => kind === wanted && deviceId) ?? []
}

const canChooseSpeaker = (): boolean =>
  typeof AudioContext !== 'undefined' && 'setSinkId' in AudioContext.prototype

/** Calls back when a device came or went. Ends with `signal`. */
export function onDeviceChange(listener: () => void, signal: AbortSignal): void {
  // Absent on a page that may have no microphone.
  const devices = navigator.mediaDevices as MediaDevices | undefined
  devices?.addEventListener('devicechange', listener, { signal })
}

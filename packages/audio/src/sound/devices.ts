/** A microphone or loudspeaker that can be chosen. */
export interface AudioDevice {
  readonly deviceId: string
  /** Empty until the user has allowed the page a microphone once. */
  readonly label: string
}

/**
 * The devices from which the page may choose. Browsers name them only after the user has allowed a
 * microphone.
 */
export async function listDevices(wanted: 'audioinput' | 'audiooutput'): Promise<AudioDevice[]> {
  // Firefox lists loudspeakers, but plays Web Audio only on the default one.
  if (wanted === 'audiooutput' && !canChooseSpeaker()) return []
  const devices = navigator.mediaDevices as MediaDevices | undefined
  const all = await devices?.enumerateDevices().catch(() => [])
  return all?.filter(({ kind, deviceId }) => kind === wanted && deviceId) ?? []
}

const canChooseSpeaker = (): boolean =>
  typeof AudioContext !== 'undefined' && 'setSinkId' in AudioContext.prototype

/** Calls the listener when a device was added or removed, until `signal` aborts. */
export function onDeviceChange(listener: () => void, signal: AbortSignal): void {
  // `undefined` on a page that is not allowed to use microphones.
  const devices = navigator.mediaDevices as MediaDevices | undefined
  devices?.addEventListener('devicechange', listener, { signal })
}

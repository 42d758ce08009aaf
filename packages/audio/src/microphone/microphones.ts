import { unsupported } from '#unsupported'
import { createListeners } from '../sound/createListeners.js'
import { AudioError, type AudioErrorCode, toAudioError } from '../sound/AudioError.js'
import { type AudioDevice, listDevices, onDeviceChange } from '../sound/devices.js'
import type { MicrophoneOptions } from './microphoneOptions.js'

export const ACTION = 'open the microphone'

/** Notified when the user or the browser has allowed a microphone, or refused it. */
export const answered = createListeners()

/**
 * Calls the listener with the devices to choose from, and again when the list may have changed: a device was
 * added or removed, or the user has allowed this or another page a microphone. Browsers send no
 * `devicechange` when the devices get their names, and Android's browsers never send it. Returns a function
 * that unsubscribes.
 */
export function watchDevices(
  kind: 'audioinput' | 'audiooutput',
  listener: (devices: readonly AudioDevice[]) => void,
): () => void {
  const gone = new AbortController()
  const { signal } = gone
  let asked = 0
  // The browser may answer an earlier question later.
  function refresh(): void {
    const mine = (asked += 1)
    void listDevices(kind).then((devices) => {
      if (mine === asked && !signal.aborted) listener(devices)
    })
  }
  refresh()
  const unsubscribe = answered.subscribe(refresh)
  onDeviceChange(refresh, signal)
  // React Native has no such function.
  window.addEventListener?.('visibilitychange', refresh, { signal })
  // Not every browser knows this name.
  navigator.permissions
    ?.query({ name: 'microphone' })
    .then((status) => status.addEventListener('change', refresh, { signal }))
    .catch(() => undefined)
  return () => {
    unsubscribe()
    gone.abort()
  }
}

/**
 * `'all'`: also cancels the sound of the page itself. By the specification, a browser that does not know this
 * value reads it as `true`.
 */
const ECHO = { ideal: 'all' } as unknown as ConstrainBoolean
const PROCESSING = { echoCancellation: ECHO, noiseSuppression: true, autoGainControl: true }

async function ask(
  { processing = PROCESSING }: MicrophoneOptions,
  deviceId?: ConstrainDOMString,
): Promise<MediaStream> {
  const devices = navigator.mediaDevices as Partial<MediaDevices> | undefined
  if (!devices?.getUserMedia) throw unsupported(ACTION, 'getUserMedia')
  const audio = { channelCount: 1, ...processing, ...(deviceId && { deviceId }) }
  try {
    const stream = await devices.getUserMedia({ audio })
    answered.notify()
    return stream
  } catch (thrown) {
    answered.notify()
    const { code } = toAudioError(ACTION, thrown)
    if (code !== 'PERMISSION_DENIED') throw thrown
    // A chunk of its own, for the few pages that need it. Without it, the user is blamed.
    const chunk = await import('../sound/whoDenies.js').catch(() => undefined)
    throw new AudioError(ACTION, code, thrown, chunk?.whoDenies('microphone'))
  }
}

/**
 * Opens a microphone, or the default one if it is missing (iOS gives devices new ids) or busy. Rejects with
 * the browser's error.
 */
export async function openMicrophone(
  options: MicrophoneOptions,
  deviceId: string | undefined,
): Promise<MediaStream> {
  if (deviceId === undefined) return ask(options)
  try {
    return await ask(options, { exact: deviceId })
  } catch (thrown) {
    const { code } = toAudioError(ACTION, thrown)
    if (code !== 'NO_DEVICE' && code !== 'DEVICE_BUSY') throw thrown
    return ask(options)
  }
}

/**
 * Returns the reason why a microphone cannot be opened now, or `undefined`. It tries to open it, because the
 * list of devices does not say which are busy.
 */
export async function tryMicrophone(
  options: MicrophoneOptions,
  wanted: string | undefined,
): Promise<AudioErrorCode | undefined> {
  const devices = await listDevices('audioinput')
  const device = devices.find(({ deviceId }) => deviceId === wanted)
  if (!device) return 'NO_DEVICE'
  try {
    const stream = await ask(options, { exact: device.deviceId })
    stream.getAudioTracks()[0]?.stop()
    return undefined
  } catch (thrown) {
    return toAudioError(ACTION, thrown).code
  }
}

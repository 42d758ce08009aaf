import type { Denial } from './whoDenies.js'

/** Failures of microphones and loudspeakers. `message` says what to do. */
const AUDIO_ERRORS = {
  PERMISSION_DENIED: 'it is not allowed. Allow it in the address bar.',
  NO_DEVICE: 'no device was found. Connect one, or choose another.',
  DEVICE_BUSY: 'another application uses it. Close that application.',
  DEVICE_LOST: 'it was disconnected. Connect it, or choose another.',
  NO_SOUND: 'there is no sound. Start it in the handler of a tap. Connect a loudspeaker.',
  INSECURE_CONTEXT: 'this page is not secure. Open it over https.',
  WORKLET_BLOCKED: 'its worklet did not load. Allow it in the CSP, or pass workletUrl.',
  UNSUPPORTED: 'this browser is too old, or it turns this off. Use a current browser.',
  UNKNOWN: 'the browser refused. See cause.',
} as const

/** A code of an `AudioError`. */
export type AudioErrorCode = keyof typeof AUDIO_ERRORS

/** Branch on `code`; show `message`, or a text of your own. */
export class AudioError extends Error {
  override readonly name = 'AudioError'
  readonly code: AudioErrorCode
  /**
   * Set if the user cannot allow it, with the code `PERMISSION_DENIED`. `'frame'`: this page is in a frame,
   * and the page around it does not allow it. `'header'`: a `Permissions-Policy` header of the site does not.
   * In Firefox and Safari, `'frame'` may also mean that the user refused.
   */
  readonly deniedBy: Denial['by'] | undefined
  /** For the developer: what to write, and where. Only in development builds, and if there is more to say. */
  readonly hint: string | undefined

  constructor(action: string, code: AudioErrorCode, cause?: unknown, denial?: Denial) {
    super(`Failed to ${action}: ${denial?.text ?? AUDIO_ERRORS[code]}`, { cause })
    this.code = code
    this.deniedBy = denial?.by
    this.hint = denial?.hint
  }
}

const BY_DOM_NAME: Readonly<Record<string, AudioErrorCode>> = {
  NotAllowedError: 'PERMISSION_DENIED',
  // A tab was shared outside of a tap's handler.
  InvalidStateError: 'PERMISSION_DENIED',
  NotFoundError: 'NO_DEVICE',
  OverconstrainedError: 'NO_DEVICE',
  NotReadableError: 'DEVICE_BUSY',
}

/**
 * Turns an error of `getUserMedia` into an `AudioError`. It compares names, because an OverconstrainedError
 * is not a DOMException in every browser.
 */
export function toAudioError(action: string, thrown: unknown): AudioError {
  if (thrown instanceof AudioError) return thrown
  return new AudioError(action, BY_DOM_NAME[(thrown as Error | undefined)?.name ?? ''] ?? 'UNKNOWN', thrown)
}

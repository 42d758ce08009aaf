import { AudioError } from './AudioError.js'

/**
 * An AudioContext. Throws an `AudioError` `UNSUPPORTED` where there is none: in a simulated page, or in a
 * browser without Web Audio.
 */
export function newContext(action: string): AudioContext {
  if (typeof AudioContext === 'undefined') throw new AudioError(action, 'UNSUPPORTED')
  return new AudioContext()
}

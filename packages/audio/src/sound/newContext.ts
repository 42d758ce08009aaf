import { AudioError } from './AudioError.js'

/**
 * Creates an AudioContext. Throws an `AudioError` `UNSUPPORTED` in a simulated page, or in a browser without
 * Web Audio.
 */
export function newContext(action: string): AudioContext {
  if (typeof AudioContext === 'undefined') throw new AudioError(action, 'UNSUPPORTED')
  return new AudioContext()
}

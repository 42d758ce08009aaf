import { AudioError } from './AudioError.js'

/** The error on a phone, where React Native has no Web Audio: it says what to use instead. */
export function unsupported(action: string, part: string): AudioError {
  const error = new AudioError(action, 'UNSUPPORTED', `There is no ${part}.`)
  error.message = `Failed to ${action}: React Native has no Web Audio. Record with a module of your own, and give each frame of 16-bit PCM to stream.send(frame); play what onMessage gets with a module too.`
  return error
}

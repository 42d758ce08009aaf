import { AudioError } from './AudioError.js'

/**
 * The error if the page has no such part of the browser. Browsers hide worklets and devices from pages that
 * are not secure.
 */
export function unsupported(action: string, part: string): AudioError {
  // `undefined` in a simulated page.
  const isInsecure = (globalThis.isSecureContext as boolean | undefined) === false
  return new AudioError(action, isInsecure ? 'INSECURE_CONTEXT' : 'UNSUPPORTED', `There is no ${part}.`)
}

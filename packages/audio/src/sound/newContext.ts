import { unsupported } from '#unsupported'

/**
 * Creates an AudioContext. Throws an `AudioError` `UNSUPPORTED` in a simulated page, or in a browser without
 * Web Audio or its worklets, and `INSECURE_CONTEXT` in a page that is not secure.
 */
export function newContext(action: string): AudioContext {
  if (typeof AudioContext === 'undefined') throw unsupported(action, 'AudioContext')
  const context = new AudioContext()
  if (typeof AudioWorkletNode !== 'undefined' && 'audioWorklet' in context) return context
  void context.close()
  throw unsupported(action, 'AudioWorklet')
}

import { AudioError } from './AudioError.js'

/** Loads a worklet into a context. Rejects with an `AudioError` `WORKLET_BLOCKED`. */
export async function addWorklet(context: AudioContext, url: string | URL, action: string): Promise<void> {
  try {
    await context.audioWorklet.addModule(url)
  } catch (cause) {
    throw new AudioError(action, 'WORKLET_BLOCKED', cause)
  }
}

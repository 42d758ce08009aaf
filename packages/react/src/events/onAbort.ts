import { callSafely } from './callSafely.js'
import { createListeners } from './createListeners.js'

/**
 * The listeners of each signal. Only one of ours is on the signal itself: Node warns of a leak if there are
 * more than ten, and a page with three streams has as many on the signal of its user.
 */
const listenersOf = new WeakMap<AbortSignal, ReturnType<typeof createListeners>>()

/** Calls `listener` when the signal aborts. Returns a function that unsubscribes. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  let listeners = listenersOf.get(signal)
  if (!listeners) {
    listeners = createListeners()
    listenersOf.set(signal, listeners)
    const { notify } = listeners
    signal.addEventListener('abort', () => notify(), { once: true })
  }
  return listeners.subscribe(() => callSafely(listener))
}

/**
 * What waits for the signals of callers. Only one listener is on each signal: Node warns of a leak if there
 * are more than ten, and a caller may wait for many slots with one signal.
 */
export function createAborts() {
  const listenersOf = new WeakMap<AbortSignal, Set<() => void>>()

  /** Calls `listener` when the signal aborts. Returns a function that unsubscribes. */
  return function onAbort(signal: AbortSignal, listener: () => void): () => void {
    let listeners = listenersOf.get(signal)
    if (!listeners) {
      const all = new Set<() => void>()
      signal.addEventListener('abort', () => all.forEach((call) => call()), { once: true })
      listenersOf.set(signal, (listeners = all))
    }
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}

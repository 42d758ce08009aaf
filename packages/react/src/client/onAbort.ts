/**
 * The listeners of each signal. Only one of ours is on the signal itself: Node warns of a leak if there are
 * more than ten, and a page with three streams has as many on the signal of its user.
 */
const listenersOf = new WeakMap<AbortSignal, Set<() => void>>()

/** Calls `listener` when the signal aborts. Returns a function that unsubscribes. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersOf.get(signal) ?? new Set()
  if (!listenersOf.has(signal)) {
    listenersOf.set(signal, listeners)
    signal.addEventListener('abort', () => listeners.forEach(callSafely), { once: true })
  }
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** An error of one listener must not stop the next. It is reported, as that of an event listener is. */
function callSafely(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/**
 * What waits for the signals of callers. Only one listener is on each signal, and none while nothing waits:
 * Node warns of a leak if there are more than ten, and a caller may use one signal for many slots and budgets.
 */
export function createAborts() {
  const waiting = new Map<AbortSignal, Set<() => void>>()

  /** Called with an event of the signal. */
  const callAll = ({ target }: Event): void => waiting.get(target as AbortSignal)?.forEach((call) => call())

  /** Calls `listener` when the signal aborts. Returns a function that unsubscribes. */
  return function onAbort(signal: AbortSignal, listener: () => void): () => void {
    const listeners = waiting.get(signal) ?? new Set()
    if (listeners.size === 0) signal.addEventListener('abort', callAll)
    waiting.set(signal, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      waiting.delete(signal)
      signal.removeEventListener('abort', callAll)
    }
  }
}

/** Listeners that are called together. */
export function createListeners<TArgs extends readonly unknown[] = []>() {
  const listeners = new Set<(...args: TArgs) => void>()
  return {
    /** Returns a function that unsubscribes. */
    subscribe: (listener: (...args: TArgs) => void): (() => void) => {
      // A new function, because the same listener may subscribe twice.
      const own = (...args: TArgs): void => listener(...args)
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    notify: (...args: TArgs): void => {
      for (const listener of listeners) listener(...args)
    },
    isEmpty: (): boolean => listeners.size === 0,
  }
}

/** Listeners that are called together. */
export function createListeners<TArgs extends readonly unknown[] = []>() {
  const listeners = new Set<(...args: TArgs) => void>()
  return {
    /** Returns its undo. */
    subscribe: (listener: (...args: TArgs) => void): (() => void) => {
      // A function of its own, because the same listener may come twice.
      const own = (...args: TArgs): void => listener(...args)
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    notify: (...args: TArgs): void => {
      for (const listener of listeners) listener(...args)
    },
  }
}

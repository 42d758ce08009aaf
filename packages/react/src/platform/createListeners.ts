/** Listeners that are called together. */
export interface Listeners<TArgs extends readonly unknown[]> {
  /** Returns its undo. */
  readonly subscribe: (listener: (...args: TArgs) => void) => () => void
  readonly notify: (...args: TArgs) => void
  readonly isEmpty: () => boolean
}

export function createListeners<TArgs extends readonly unknown[] = []>(): Listeners<TArgs> {
  const listeners = new Set<(...args: TArgs) => void>()
  return {
    subscribe(listener) {
      // A function of its own, because the same listener may come twice.
      const own = (...args: TArgs): void => listener(...args)
      listeners.add(own)
      return () => {
        listeners.delete(own)
      }
    },
    notify(...args) {
      for (const listener of listeners) listener(...args)
    },
    isEmpty: () => listeners.size === 0,
  }
}

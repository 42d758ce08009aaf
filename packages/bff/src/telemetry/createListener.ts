import type { BffEvent, EmitEvent } from './events.js'

type Listener = (event: BffEvent) => unknown

/**
 * Calls each listener with each event. An error in a listener, even a later rejection, affects neither the
 * request nor the next listener.
 */
export function createListener(...given: readonly (Listener | undefined)[]): EmitEvent {
  const listeners = given.filter((listener) => listener !== undefined)
  if (listeners.length === 0) return undefined
  return (event) => {
    for (const listener of listeners) {
      try {
        const returned = listener(event)
        if (returned instanceof Promise) returned.catch(() => undefined)
      } catch {
        // The listener itself failed, so there is no place to report it.
      }
    }
  }
}

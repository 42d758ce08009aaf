import type { BffEvent, EmitEvent } from './events.js'

/** Adds a cause that code can read and that a logger does not print. */
export function withCause(event: BffEvent, cause: unknown): BffEvent {
  return cause === undefined
    ? event
    : Object.defineProperty(event, 'cause', { value: cause, enumerable: false })
}

/** Calls the host's listener. An error in it, now or later, does not affect the request. */
export function createEmitter(onEvent: ((event: BffEvent) => unknown) | undefined): EmitEvent {
  if (!onEvent) return undefined
  return (event) => {
    try {
      const returned = onEvent(event)
      if (returned instanceof Promise) returned.catch(() => undefined)
    } catch {
      // The listener itself failed, so there is no place to report it.
    }
  }
}

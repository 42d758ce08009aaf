import type { BffEvent, EmitEvent } from './events.js'

/** The event with its cause where code finds it and no printer does. */
export function withCause(event: BffEvent, cause: unknown): BffEvent {
  return cause === undefined
    ? event
    : Object.defineProperty(event, 'cause', { value: cause, enumerable: false })
}

/** A host's logger that throws, now or later, must not cost a user a request. */
export function createEmitter(onEvent: ((event: BffEvent) => unknown) | undefined): EmitEvent {
  if (!onEvent) return undefined
  return (event) => {
    try {
      const returned = onEvent(event)
      if (returned instanceof Promise) returned.catch(() => undefined)
    } catch {
      // There is nobody left to tell.
    }
  }
}

import { createListener } from '../budget/createListener.js'
import type { BffEvent, EmitEvent } from './events.js'

/** Adds a cause that code can read and that a logger does not print. */
export function withCause(event: BffEvent, cause: unknown): BffEvent {
  return cause === undefined
    ? event
    : Object.defineProperty(event, 'cause', { value: cause, enumerable: false })
}

/** `undefined` without a listener, so that `emit?.({ … })` does not create the event. */
export function createEmitter(onEvent: ((event: BffEvent) => unknown) | undefined): EmitEvent {
  return onEvent && createListener(onEvent)
}

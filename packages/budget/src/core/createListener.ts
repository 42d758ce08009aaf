/** Calls the listener. An error in it, now or later, does not affect a request. */
export function createListener<TEvent>(listener?: (event: TEvent) => unknown): (event: TEvent) => void {
  return (event) => {
    try {
      Promise.resolve(listener?.(event)).catch(() => undefined)
    } catch {
      // The listener itself failed, so there is no place to report it.
    }
  }
}

/** Adds a cause that code can read and that a logger does not print: it may hold anything. */
export function withCause<TEvent extends object>(event: TEvent, cause: unknown): TEvent {
  return cause === undefined
    ? event
    : Object.defineProperty(event, 'cause', { value: cause, enumerable: false })
}

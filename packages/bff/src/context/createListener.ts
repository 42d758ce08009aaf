/** Calls the listener. An error in it, now or later, does not affect the request. */
export function createListener<TEvent>(
  listener: ((event: TEvent) => unknown) | undefined,
): (event: TEvent) => void {
  return (event) => {
    try {
      const returned = listener?.(event)
      if (returned instanceof Promise) returned.catch(() => undefined)
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

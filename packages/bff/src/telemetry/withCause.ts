/** Adds a cause that code can read but a logger does not print, because it may contain anything. */
export function withCause<TEvent extends object>(event: TEvent, cause: unknown): TEvent {
  return cause === undefined
    ? event
    : Object.defineProperty(event, 'cause', { value: cause, enumerable: false })
}

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

/** Calls the listener; an error in it does not affect the request. */
export function createListener<T>(listener: ((event: T) => void) | undefined): (event: T) => void {
  return (event) => {
    try {
      listener?.(event)
    } catch {
      // The listener itself failed, so there is no place to report it.
    }
  }
}

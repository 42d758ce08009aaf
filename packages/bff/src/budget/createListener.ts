/** A listener's fault is not the request's. */
export function quietly<T>(listener: ((event: T) => void) | undefined): (event: T) => void {
  return (event) => {
    try {
      listener?.(event)
    } catch {
      // Told to nobody: the one who would be told has just failed.
    }
  }
}

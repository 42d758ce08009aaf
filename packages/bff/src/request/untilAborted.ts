/** Returns the promise, or rejects with the signal's reason as soon as the signal is aborted. */
export function untilAborted<TValue>(promise: PromiseLike<TValue>, signal: AbortSignal): Promise<TValue> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    if (signal.aborted) {
      // The result is not used, so a rejection must not be reported as unhandled.
      promise.then(undefined, () => undefined)
      return abort()
    }
    signal.addEventListener('abort', abort, { once: true })
    const after =
      <TResult>(settle: (result: TResult) => void) =>
      (result: TResult): void => {
        signal.removeEventListener('abort', abort)
        settle(result)
      }
    promise.then(after(resolve), after(reject))
  })
}

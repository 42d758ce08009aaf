/** Why work was cancelled: the reason of its `AbortSignal`. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
  readonly reason: 'deadline' | 'client-closed' | 'shutdown' | 'no-waiters'

  constructor(reason: Cancelled['reason']) {
    super(`The work was cancelled: ${reason}.`)
    this.reason = reason
  }
}

type Listener = (cancelled: Cancelled) => void

const NO_LISTENERS: readonly never[] = []

/**
 * Tells work that its result is no longer wanted. It costs a tenth of an `AbortSignal`: every request needs
 * one, and few are cancelled. `signal` creates a real one on first use.
 */
export class Cancellation {
  #cancelled: Cancelled | undefined
  #listeners: readonly Listener[] = NO_LISTENERS
  #controller: AbortController | undefined

  /** Why it was cancelled, or `undefined` while the result is wanted. */
  get cancelled(): Cancelled | undefined {
    return this.#cancelled
  }

  /** Later calls do nothing. */
  cancel(reason: Cancelled['reason']): void {
    if (this.#cancelled) return
    const cancelled = new Cancelled(reason)
    this.#cancelled = cancelled
    const listeners = this.#listeners
    this.#listeners = NO_LISTENERS
    for (const listener of listeners) listener(cancelled)
    this.#controller?.abort(cancelled)
  }

  /**
   * Calls `listener` once, when it is cancelled; never if it is cancelled already. Returns a function that
   * removes the listener.
   */
  onCancel(listener: Listener): () => void {
    // Most have one listener at a time.
    this.#listeners = this.#listeners.length === 0 ? [listener] : [...this.#listeners, listener]
    return () => {
      this.#listeners =
        this.#listeners.length === 1 && this.#listeners[0] === listener
          ? NO_LISTENERS
          : this.#listeners.filter((other) => other !== listener)
    }
  }

  /** The same as a signal; its reason is `cancelled`. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#cancelled) this.#controller.abort(this.#cancelled)
    }
    return this.#controller.signal
  }
}

/** The promise, or a rejection with the reason as soon as `cancellation` is cancelled. */
export function untilCancelled<TValue>(
  promise: PromiseLike<TValue>,
  cancellation: Cancellation,
): Promise<TValue> {
  return new Promise((resolve, reject) => {
    if (cancellation.cancelled) {
      // The result is not used, so a rejection must not become an unhandled one.
      promise.then(undefined, () => undefined)
      return reject(cancellation.cancelled)
    }
    const forget = cancellation.onCancel(reject)
    const after =
      <TResult>(settle: (result: TResult) => void) =>
      (result: TResult): void => {
        forget()
        settle(result)
      }
    promise.then(after(resolve), after(reject))
  })
}

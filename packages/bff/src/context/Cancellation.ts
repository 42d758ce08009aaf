/** Why a request's signal was aborted: the reason of its `AbortSignal`. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded'
  readonly why: 'deadline' | 'client-gone' | 'shutdown' | 'nobody-waits'

  constructor(why: CallEnded['why']) {
    super(`The call ended early: ${why}.`)
    this.why = why
  }
}

const NOBODY: readonly never[] = []

/**
 * Says once that something is wanted no more: an `AbortSignal` at a tenth of its price, for every request needs one and hardly any is aborted.
 * A real signal is made for whoever asks for it.
 */
export class Ending {
  #why: CallEnded | undefined
  #listeners: readonly ((why: CallEnded) => void)[] = NOBODY
  #controller: AbortController | undefined

  /** Why it ended, or `undefined` while it is wanted. */
  get ended(): CallEnded | undefined {
    return this.#why
  }

  /** Ends it; later calls do nothing. */
  end(why: CallEnded): void {
    if (this.#why) return
    this.#why = why
    const listeners = this.#listeners
    this.#listeners = NOBODY
    for (const listener of listeners) listener(why)
    this.#controller?.abort(why)
  }

  /** Calls `listener` at the end, at most once; not if that has come already. Returns its undo. */
  onEnd(listener: (why: CallEnded) => void): () => void {
    // There is one at a time, as a rule.
    this.#listeners = this.#listeners.length === 0 ? [listener] : [...this.#listeners, listener]
    return () => {
      this.#listeners =
        this.#listeners.length === 1 && this.#listeners[0] === listener
          ? NOBODY
          : this.#listeners.filter((other) => other !== listener)
    }
  }

  /** The same as a signal; its reason is `ended`. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#why) this.#controller.abort(this.#why)
    }
    return this.#controller.signal
  }
}

/** The promise, or a rejection with the reason as soon as `ending` has come. Leaves no listener behind. */
export function untilEnded<TValue>(promise: PromiseLike<TValue>, ending: Ending): Promise<TValue> {
  return new Promise((resolve, reject) => {
    if (ending.ended) {
      // Nobody waits for it any more, and nobody may be told that it failed.
      promise.then(undefined, () => undefined)
      return reject(ending.ended)
    }
    const forget = ending.onEnd(reject)
    promise.then(
      (value) => {
        forget()
        resolve(value)
      },
      (error: unknown) => {
        forget()
        reject(error)
      },
    )
  })
}

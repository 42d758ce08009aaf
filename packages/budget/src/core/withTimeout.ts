import type { Clock } from './Clock.js'

/** Returns the promise, or rejects with `message` after `timeoutMs`. */
export function withTimeout<TValue>(
  promise: Promise<TValue>,
  clock: Clock,
  timeoutMs: number,
  message: string,
): Promise<TValue> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => reject(new Error(message)))
    promise.then(resolve, reject).finally(cancel)
  })
}

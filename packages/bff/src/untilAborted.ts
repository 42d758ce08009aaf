/** The promise, or a rejection with the signal's reason as soon as it is aborted. Leaves no listener behind. */
export async function untilAborted<TValue>(
  promise: PromiseLike<TValue>,
  signal: AbortSignal,
): Promise<TValue> {
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    if (stop) signal.removeEventListener('abort', stop)
  }
}

import type { StreamSnapshot } from './Stream.js'

export interface MessageSource<TMessage> {
  subscribe(listener: (message: TMessage) => void): () => void
  watch(listener: () => void): () => void
  snapshot(): StreamSnapshot
}

/** A stream's messages from now on. Ends when the stream is closed or released or `signal` aborts, throws when it fails. */
export async function* iterateMessages<TMessage>(
  source: MessageSource<TMessage>,
  signal?: AbortSignal,
): AsyncGenerator<TMessage, void, undefined> {
  const waiting: TMessage[] = []
  let wake: () => void = () => {}
  const undos = [
    source.subscribe((message) => {
      waiting.push(message)
      wake()
    }),
    source.watch(() => wake()),
  ]
  const onAbort = (): void => wake()
  signal?.addEventListener('abort', onAbort)
  try {
    // Idle is an end only for a stream that was something else before.
    let begun = false
    const aborted = (): boolean => signal?.aborted === true
    for (;;) {
      while (waiting.length > 0 && !aborted()) yield waiting.shift() as TMessage
      if (aborted()) return
      const { status, error } = source.snapshot()
      if (status === 'failed') throw error as Error
      if (status === 'closed' || (begun && status === 'idle')) return
      begun ||= status !== 'idle'
      await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    for (const undo of undos) undo()
    signal?.removeEventListener('abort', onAbort)
  }
}

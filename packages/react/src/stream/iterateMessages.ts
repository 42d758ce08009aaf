import type { StreamSnapshot } from './Stream.js'

interface MessageSource<TMessage> {
  subscribe(listener: (message: TMessage) => void): () => void
  watch(listener: () => void): () => void
  snapshot(): StreamSnapshot
  /** Aborts when the user leaves. */
  readonly ended: AbortSignal
}

/**
 * A stream's messages from now on. Ends when the stream is closed or released, `signal` aborts or the user
 * leaves; throws when the stream fails.
 */
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
  const ends = [source.ended, signal]
  for (const end of ends) end?.addEventListener('abort', onAbort)
  try {
    // Idle is an end only for a stream that was something else before.
    let begun = false
    const aborted = (): boolean => ends.some((end) => end?.aborted)
    for (;;) {
      while (waiting.length > 0 && !aborted()) yield waiting.shift() as TMessage
      const { status, error } = source.snapshot()
      if (error && !signal?.aborted) throw error
      if (aborted() || status === 'closed' || (begun && status === 'idle')) return
      begun ||= status !== 'idle'
      await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    for (const undo of undos) undo()
    for (const end of ends) end?.removeEventListener('abort', onAbort)
  }
}

import { onAbort } from '../events/onAbort.js'
import type { StreamSnapshot } from './Stream.js'

interface MessageSource<TMessage> {
  subscribe(listener: (message: TMessage) => void): () => void
  watch(listener: () => void): () => void
  snapshot(): StreamSnapshot
  /** Aborts when the user changes. */
  readonly ended: AbortSignal
}

/**
 * Iterates over a stream's messages from now on. Ends when the stream is closed or released, `signal` aborts
 * or the user changes. Throws if the stream fails.
 */
export async function* iterateMessages<TMessage>(
  source: MessageSource<TMessage>,
  signal?: AbortSignal,
): AsyncGenerator<TMessage, void, undefined> {
  const waiting: TMessage[] = []
  let wake: () => void = () => {}
  const unsubscribes = [
    source.subscribe((message) => {
      waiting.push(message)
      wake()
    }),
    source.watch(() => wake()),
  ]
  const ends = [source.ended, signal].filter((end) => end !== undefined)
  for (const end of ends) unsubscribes.push(onAbort(end, () => wake()))
  try {
    // `idle` is an end only if the stream had another status before.
    let begun = false
    const aborted = (): boolean => ends.some((end) => end.aborted)
    for (;;) {
      while (waiting.length > 0 && !aborted()) yield waiting.shift() as TMessage
      const { status, error } = source.snapshot()
      if (error && !signal?.aborted) throw error
      if (aborted() || status === 'closed' || (begun && status === 'idle')) return
      begun ||= status !== 'idle'
      await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}

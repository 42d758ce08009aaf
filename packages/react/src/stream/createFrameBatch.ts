import type { Platform, TimerHandle } from '../platform/platform.js'

/** A timer replaces animation frames: they stop in a hidden tab, and a server has none. */
const LONGEST_WAIT_MS = 250

/**
 * A batch of this length is passed on at once, so that a page without animation frames does not pile up
 * messages.
 */
const LONGEST_BATCH = 10_000

/** Collects the items between two animation frames, and passes them on together. */
export function createFrameBatch<TItem>(platform: Platform, onBatch: (batch: readonly TItem[]) => void) {
  let batch: TItem[] = []
  let timer: TimerHandle | undefined
  let frame: number | undefined

  /** Forgets the collected items. Nothing is passed on until the next `add`. */
  function cancel(): void {
    batch = []
    platform.clearTimeout(timer)
    if (frame !== undefined) cancelAnimationFrame(frame)
    timer = frame = undefined
  }

  function flush(): void {
    const ready = batch
    cancel()
    onBatch(ready)
  }

  return {
    add: (item: TItem): void => {
      batch.push(item)
      if (batch.length >= LONGEST_BATCH) flush()
      else if (batch.length === 1) {
        timer = platform.setTimeout(flush, LONGEST_WAIT_MS)
        if (typeof requestAnimationFrame === 'function') frame = requestAnimationFrame(flush)
      }
    },
    cancel,
  }
}

import type { Platform } from '../../platform/platform.js'
import type { DropReason, EventBody, StreamEvent } from '../../client/events.js'

/** Live audio may be dropped fifty times a second: drops are gathered. */
const GATHER_MS = 1_000

/** Emits drops at once, and then at most once a second. */
export function createDropReport(platform: Platform, emit: (event: EventBody<StreamEvent>) => void) {
  const gathered = new Map<DropReason, { count: number; bytes: number }>()
  let total = 0
  let emittedAt = -Infinity

  /** Emits what is gathered. */
  function flush(): void {
    for (const [reason, { count, bytes }] of gathered)
      emit({ type: 'stream.dropped', reason, count, bytes, total })
    if (gathered.size > 0) emittedAt = platform.now()
    gathered.clear()
  }

  return {
    add: (reason: DropReason, count: number, bytes: number): void => {
      const before = gathered.get(reason)
      gathered.set(reason, { count: count + (before?.count ?? 0), bytes: bytes + (before?.bytes ?? 0) })
      total += count
      if (platform.now() - emittedAt >= GATHER_MS) flush()
    },
    flush,
  }
}

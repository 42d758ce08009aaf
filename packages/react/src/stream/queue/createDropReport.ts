import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { DropReason, EventBody, StreamEvent } from '../../events/events.js'

/** Live audio may be dropped fifty times a second, so drops are collected. */
const COLLECT_MS = 1_000

/** Emits drops at once, and then at most once a second. */
export function createDropReport(platform: Platform, emit: (event: EventBody<StreamEvent>) => void) {
  const collected = new Map<DropReason, { count: number; bytes: number }>()
  let total = 0
  let emittedAt = -Infinity
  let timer: TimerHandle | undefined

  /** Emits the collected drops. */
  function flush(): void {
    platform.clearTimeout(timer)
    timer = undefined
    for (const [reason, { count, bytes }] of collected)
      emit({ type: 'stream.dropped', reason, count, bytes, total })
    if (collected.size > 0) emittedAt = platform.now()
    collected.clear()
  }

  return {
    add: (reason: DropReason, count: number, bytes: number): void => {
      const before = collected.get(reason)
      collected.set(reason, { count: count + (before?.count ?? 0), bytes: bytes + (before?.bytes ?? 0) })
      total += count
      const waitMs = emittedAt + COLLECT_MS - platform.now()
      if (waitMs <= 0) flush()
      else timer ??= platform.setTimeout(flush, waitMs)
    },
    flush,
  }
}

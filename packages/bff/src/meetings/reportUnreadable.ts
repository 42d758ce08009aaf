import type { Unreadable } from '@stagepass/contract'
import type { EmitEvent } from '../telemetry/events.js'
import { LRUCache } from 'lru-cache/raw'
import { atMost, type Clock } from '../base/platform.js'

/** An event for the same field and kind is emitted once in this time. */
const EMIT_AGAIN_MS = 60_000

/** Beyond it, the least recently used count starts again from zero. */
const MAX_TALLIES = 10_000

interface Tally extends Unreadable {
  readonly account: string | undefined
  count: number
  emittedAtMs: number | undefined
}

/**
 * Counts what could not be read in responses of the meetings interface, and emits `meeting.unreadable`: at
 * once, and then at most once a minute for each account, field and kind, with the count since the last
 * event.
 */
export function reportUnreadable(
  clock: Clock,
  emit: EmitEvent,
): (parts: readonly Unreadable[], account: string | undefined) => void {
  const tallies = new LRUCache<string, Tally>(atMost(MAX_TALLIES))

  return (parts, account) => {
    if (!emit || parts.length === 0) return
    const seen = new Set<Tally>()
    for (const { field, kind } of parts) {
      const key = JSON.stringify([account, field, kind])
      const tally = tallies.get(key) ?? { account, field, kind, count: 0, emittedAtMs: undefined }
      tallies.set(key, tally)
      tally.count += 1
      seen.add(tally)
    }
    const nowMs = clock.now()
    for (const tally of seen) {
      const { field, kind, count, emittedAtMs } = tally
      if (emittedAtMs !== undefined && nowMs - emittedAtMs < EMIT_AGAIN_MS) continue
      tally.count = 0
      tally.emittedAtMs = nowMs
      emit({ type: 'meeting.unreadable', account, field, kind, count })
    }
  }
}

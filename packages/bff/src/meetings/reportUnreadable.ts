import type { Unreadable } from '@stagepass/contract'
import type { EmitEvent } from '../telemetry/events.js'
import type { Clock } from '../base/platform.js'

/** An event for the same field and kind is emitted once in this time. */
const EMIT_AGAIN_MS = 60_000

interface Tally {
  count: number
  emittedAtMs: number | undefined
}

/**
 * Counts what could not be read in responses of the meetings interface, and emits `meeting.unreadable`: at
 * once, and then at most once a minute for each field and kind, with the count since the last event. There
 * are only as many counts as fields and kinds.
 */
export function reportUnreadable(clock: Clock, emit: EmitEvent): (parts: readonly Unreadable[]) => void {
  const tallies = new Map<string, Tally & Unreadable>()

  return (parts) => {
    if (!emit || parts.length === 0) return
    const seen = new Set<Tally & Unreadable>()
    for (const { field, kind } of parts) {
      const key = `${field} ${kind}`
      const tally = tallies.get(key) ?? { field, kind, count: 0, emittedAtMs: undefined }
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
      emit({ type: 'meeting.unreadable', field, kind, count })
    }
  }
}

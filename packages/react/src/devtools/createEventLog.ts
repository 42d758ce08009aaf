import type { VoiceEvent } from '../client/events.js'
import { createListeners } from '../platform/createListeners.js'
import { summarize, type StatusRows } from './summarize.js'

/** What the panel shows: the same object until another event comes. */
export interface LogSnapshot {
  /** The last ones, newest first. */
  readonly events: readonly VoiceEvent[]
  readonly summary: StatusRows
}

export interface EventLog {
  readonly snapshot: () => LogSnapshot
  readonly subscribe: (listener: () => void) => () => void
  add(event: VoiceEvent): void
  /** Forgets the events; the summary stays. */
  clear(): void
}

/** Keeps the last events, and what they come to. */
export function createEventLog(limit: number): EventLog {
  let current: LogSnapshot = { events: [], summary: new Map() }
  const { subscribe, notify } = createListeners()

  function show(next: LogSnapshot): void {
    current = next
    notify()
  }

  return {
    snapshot: () => current,
    subscribe,
    add(event) {
      // A change of user: nothing of the user before stays on the screen.
      const before = event.type === 'client.reset' ? [] : current.events
      const events = [event, ...before].slice(0, limit)
      show({ events, summary: summarize(current.summary, event) })
    },
    clear: () => show({ ...current, events: [] }),
  }
}

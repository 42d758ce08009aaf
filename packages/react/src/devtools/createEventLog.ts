import type { VoiceEvent } from '../client/events.js'
import { createListeners } from '../platform/createListeners.js'
import { summarize, type StatusRows } from './summarize.js'

/** What the panel shows: the same object until another event comes. */
interface LogSnapshot {
  /** The last ones, newest first. */
  readonly events: readonly VoiceEvent[]
  readonly summary: StatusRows
}

/** Keeps the last events, and what they come to. */
export function createEventLog(limit: number) {
  let current: LogSnapshot = { events: [], summary: new Map() }
  const { subscribe, notify } = createListeners()

  function show(next: LogSnapshot): void {
    current = next
    notify()
  }

  return {
    snapshot: (): LogSnapshot => current,
    subscribe,
    add(event: VoiceEvent): void {
      // A change of user: nothing of the user before stays on the screen.
      const before = event.type === 'client.reset' ? [] : current.events
      const events = [event, ...before].slice(0, limit)
      show({ events, summary: summarize(current.summary, event) })
    },
    /** Forgets the events; the summary stays. */
    clear: (): void => show({ ...current, events: [] }),
  }
}

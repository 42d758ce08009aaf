import type { VoiceEvent } from '../events/events.js'
import type { Note } from '../vitals/createMeter.js'
import { createListeners } from '../events/createListeners.js'
import { sessionOf, type SessionNotes } from './sessionOf.js'
import { summarize, type StatusRows } from './summarize.js'

/** The content of the panel: the same object until the next event. */
interface LogSnapshot {
  /** The last events, newest first. */
  readonly events: readonly VoiceEvent[]
  readonly summary: StatusRows
  /** The session of the stream that was opened last. */
  readonly session: SessionNotes | undefined
}

/** Keeps the last events and a summary of all. */
export function createEventLog(limit: number) {
  let current: LogSnapshot = { events: [], summary: new Map(), session: undefined }
  const { subscribe, notify } = createListeners()

  function show(next: LogSnapshot): void {
    current = next
    notify()
  }

  return {
    snapshot: (): LogSnapshot => current,
    subscribe,
    add(event: VoiceEvent): void {
      // After a change of user nothing of the previous user stays on the screen.
      const before = event.type === 'client.reset' ? [] : current.events
      const events = [event, ...before].slice(0, limit)
      const session = event.type === 'client.reset' ? undefined : current.session
      show({ events, summary: summarize(current.summary, event), session })
    },
    addNote: (note: Note, product: string, key: string): void =>
      show({ ...current, session: sessionOf(current.session, note, `${product} · ${key}`) }),
    /** Forgets the events; the summary stays. */
    clear: (): void => show({ ...current, events: [] }),
  }
}

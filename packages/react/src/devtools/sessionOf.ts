import type { Note } from '../vitals/createMeter.js'

/** What happened in a stream since it was last opened by a press. */
export interface SessionNotes {
  /** Name of the stream, as in the rows of the panel. */
  readonly name: string
  /** In the order in which they were noted. The first is the press. */
  readonly notes: readonly Note[]
}

/** The most notes of a session that are kept: the press and the last ones. */
const KEEP = 200

/** The session after one more note. A press begins the next session. */
export function sessionOf(session: SessionNotes | undefined, note: Note, name: string): SessionNotes {
  if (note.what === 'press' || !session) return { name, notes: [note] }
  // One picture: of the stream that was opened last.
  if (session.name !== name) return session
  const [first, ...rest] = [...session.notes, note]
  return { name, notes: first ? [first, ...rest.slice(1 - KEEP)] : rest }
}

import { isObject, LOST_REASONS, PAGE_FIGURES, type Tape } from '@stagepass/contract'
import { type Note, NOTE_NAMES } from '../vitals/createMeter.js'

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

/** The last session of a tape, from its notes. A file may have anything, so what is unknown is left out. */
export function sessionOfTape({ moments }: Tape): SessionNotes | undefined {
  let session: SessionNotes | undefined
  for (const moment of moments) {
    if (moment.type !== 'note') continue
    const { what, figure, reason, product, key } = moment.value
    const known = NOTE_NAMES.find((name) => name === what)
    if (!known) continue
    const note: Note = { what: known, at: moment.at, figure: readFigure(figure), reason: readReason(reason) }
    session = sessionOf(session, note, `${String(product)} · ${String(key)}`)
  }
  return session
}

function readFigure(figure: unknown): Note['figure'] {
  if (!isObject(figure) || typeof figure.ms !== 'number') return undefined
  const name = typeof figure.name === 'string' && Object.hasOwn(PAGE_FIGURES, figure.name) ? figure.name : ''
  return name === '' ? undefined : { name: name as keyof typeof PAGE_FIGURES, ms: figure.ms }
}

const readReason = (reason: unknown): Note['reason'] => LOST_REASONS.find((name) => name === reason)

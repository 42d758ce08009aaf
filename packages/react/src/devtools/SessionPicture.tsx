'use client'

import type { ReactNode } from 'react'
import type { Note } from '../vitals/createMeter.js'
import type { SessionNotes } from './sessionOf.js'

const WIDTH = 400
const HEIGHT = 56

/** How each kind of note is drawn: its row from above, and its colour. */
const MARKS: Readonly<Record<Note['what'], { readonly row: number; readonly color: string }>> = {
  press: { row: 0, color: 'light-dark(#555, #bbb)' },
  turn: { row: 0, color: 'light-dark(#8a5a00, #f0b94a)' },
  open: { row: 0, color: 'light-dark(#0a7d33, #5fd68a)' },
  drop: { row: 0, color: 'light-dark(#b3261e, #ff8a80)' },
  resent: { row: 1, color: 'light-dark(#8a5a00, #f0b94a)' },
  standstill: { row: 0, color: 'light-dark(#8a5a00, #f0b94a)' },
  speech: { row: 1, color: 'light-dark(#555, #bbb)' },
  text: { row: 2, color: 'light-dark(#0b57d0, #8ab4f8)' },
  final: { row: 2, color: 'light-dark(#0a7d33, #5fd68a)' },
  heard: { row: 3, color: 'light-dark(#6b2fb3, #c58af9)' },
}
const ROWS = 4

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`

/** A note in words: when it happened after the press, and what it completes. */
function describeNote({ what, at, figure, reason }: Note, pressAt: number): string {
  const completes = figure ? `, ${figure.name} ${Math.round(figure.ms)} ms` : ''
  return `${what}${reason ? ` (${reason})` : ''} at ${seconds(at - pressAt)}${completes}`
}

/** The last session of the page on one line of time: press, open, speech, texts, sound and drops. */
export function SessionPicture({ session }: { readonly session: SessionNotes }): ReactNode {
  const { name, notes } = session
  const pressAt = notes[0]?.at ?? 0
  const lastMs = Math.max(1_000, ...notes.map(({ at }) => at - pressAt))
  const left = (at: number): number => 4 + ((at - pressAt) / lastMs) * (WIDTH - 8)
  const drops = notes.filter(({ what }) => what === 'drop').length
  return (
    <figure style={{ margin: '8px 0' }}>
      <svg
        role="img"
        aria-label={`Last session of ${name}: ${seconds(lastMs)}, ${notes.length} marks, ${drops} drops`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        style={{ width: '100%', display: 'block' }}
      >
        {notes.map((note, index) => {
          const { row, color } = MARKS[note.what]
          return (
            <rect
              key={index}
              x={left(note.at) - 1.5}
              y={(row * HEIGHT) / ROWS + 2}
              width={3}
              height={HEIGHT / ROWS - 4}
              style={{ fill: color }}
            >
              <title>{describeNote(note, pressAt)}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption>
        {notes
          .slice(-3)
          .map((note) => describeNote(note, pressAt))
          .join('; ')}
      </figcaption>
    </figure>
  )
}

import type { ReactNode } from 'react'
import { formatClock } from '../ui/format.js'

/**
 * Further fields that the demo's BFF lets through (`meetings.wire.extraFields`). (Assumptions: "One
 * meeting".)
 */
interface Notes {
  readonly blocks: readonly {
    readonly text?: string | undefined
    readonly children?: Notes['blocks'] | undefined
  }[]
}

interface Transcript {
  readonly speakers: Readonly<Record<string, { readonly first_name: string | null }>>
  readonly segments: readonly { readonly speaker: number; readonly text: string; readonly start: number }[]
}

declare module '@stagepass/react' {
  interface ExtraMeetingFields {
    notes: Notes
    transcript: Transcript
    created_at: string
    updated_at: string
  }
}

const SHOWN_SEGMENTS = 8

export function MeetingText({
  notes,
  transcript,
}: {
  readonly notes: Notes | undefined
  readonly transcript: Transcript | undefined
}): ReactNode {
  return (
    <>
      {notes && notes.blocks.length > 0 && (
        <section>
          <h4>Notes</h4>
          <Blocks blocks={notes.blocks} />
        </section>
      )}
      {transcript && transcript.segments.length > 0 && (
        <section>
          <h4>Transcript</h4>
          <ol className="segments-of-speech">
            {transcript.segments.slice(0, SHOWN_SEGMENTS).map(({ speaker, text, start }) => (
              <li key={start}>
                <span className="numbers">{formatClock(start * 1_000)}</span>
                <p>
                  <strong>{transcript.speakers[speaker]?.first_name ?? 'Somebody'}</strong> {text}
                </p>
              </li>
            ))}
          </ol>
        </section>
      )}
    </>
  )
}

function Blocks({ blocks }: Notes): ReactNode {
  return (
    <ul className="blocks">
      {blocks.map(({ text, children }, index) => (
        <li key={`${index} ${text}`}>
          {text}
          {children && children.length > 0 && <Blocks blocks={children} />}
        </li>
      ))}
    </ul>
  )
}

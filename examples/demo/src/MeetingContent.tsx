import type { ReactNode } from 'react'

interface Block {
  readonly type: string
  readonly text?: string
  readonly completed?: boolean
  readonly children?: readonly Block[]
}

/**
 * What a meeting holds beyond its row. An application declares it in `ExtraMeetingFields`. Here that would
 * hold for the whole repository, because all of it is one program for the types.
 */
export interface ContentFields {
  readonly notes?: { readonly blocks: readonly Block[] } | null
  readonly transcript?: {
    readonly speakers: Readonly<
      Record<string, { readonly first_name: string | null; readonly email: string | null }>
    >
    readonly segments: readonly { readonly speaker: number; readonly text: string }[]
  } | null
}

/** Notes and transcript of an open meeting. */
export function MeetingContent({ notes, transcript }: ContentFields): ReactNode {
  return (
    <>
      {notes && <Blocks blocks={notes.blocks} />}
      {transcript && transcript.segments.length > 0 && (
        <details className="transcript">
          <summary>Transcript</summary>
          <dl>
            {transcript.segments.map(({ speaker, text }, index) => {
              const person = transcript.speakers[speaker]
              return (
                <div key={index}>
                  <dt>{person?.first_name ?? person?.email ?? 'Somebody'}</dt>
                  <dd>{text}</dd>
                </div>
              )
            })}
          </dl>
        </details>
      )}
    </>
  )
}

const Blocks = ({ blocks }: { readonly blocks: readonly Block[] }): ReactNode =>
  blocks.map(({ type, text, completed, children }, index) => (
    <div key={index} className="note" data-type={type}>
      {type === 'todo' && <span aria-label={completed ? 'Done: ' : 'To do: '}>{completed ? '☑' : '☐'} </span>}
      {text}
      {children && <Blocks blocks={children} />}
    </div>
  ))

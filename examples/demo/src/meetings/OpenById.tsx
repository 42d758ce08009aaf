import type { ReactNode } from 'react'
import { useState } from 'react'

interface OpenByIdProps {
  /** Meetings that no list shows yet. */
  readonly processing: readonly { readonly id: string; readonly title: string | null }[]
  readonly onOpen: (id: string) => void
}

/**
 * The detail pane before anything is chosen: a meeting that is still processing can be reached by its id
 * alone.
 */
export function OpenById({ processing, onOpen }: OpenByIdProps): ReactNode {
  const [id, setId] = useState('')
  return (
    <div className="empty">
      <strong>Choose a meeting</strong>
      <p>Or open one by its id. One that is still being processed is in no list.</p>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault()
          if (id.trim()) onOpen(id.trim())
        }}
      >
        <input
          className="input grow"
          aria-label="Meeting id"
          placeholder="Meeting id"
          maxLength={256}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <button className="button">Open</button>
      </form>
      {processing.map(({ id, title }) => (
        <button className="link" key={id} onClick={() => onOpen(id)}>
          {title ?? 'Untitled meeting'} (processing)
        </button>
      ))}
    </div>
  )
}

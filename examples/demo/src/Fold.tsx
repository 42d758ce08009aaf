import { type ReactNode, useId, useState } from 'react'

interface FoldProps {
  readonly title: string
  /** A sentence. */
  readonly purpose: string
  /** Beside the title. */
  readonly state?: ReactNode
  /** Open at first on a phone too, where the others are closed. */
  readonly isFirst?: boolean
  readonly children: ReactNode
}

/** A part of the page that can be closed. */
export function Fold({ title, purpose, state, isFirst = false, children }: FoldProps): ReactNode {
  const id = useId()
  const [isOpen, setIsOpen] = useState(() => isFirst || matchMedia('(min-width: 46rem)').matches)
  const [wasOpen, setWasOpen] = useState(isOpen)
  if (isOpen && !wasOpen) setWasOpen(true)
  return (
    <article className="card fold" aria-labelledby={id}>
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>
          <h2 id={id}>{title}</h2>
          {state}
          <span className="purpose">{purpose}</span>
        </summary>
        {/* A part that was never open sends no request. */}
        {wasOpen && <div className="inside">{children}</div>}
      </details>
    </article>
  )
}

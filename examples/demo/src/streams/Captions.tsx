import { useStreamValue, type UseStreamResult } from '@stagepass/react'
import type { ReactNode } from 'react'
import { appendLine } from './appendLine.js'
import type { DemoMessage } from './messages.js'

interface CaptionsProps {
  readonly stream: Pick<UseStreamResult<unknown, DemoMessage>, 'subscribe'>
  readonly label: string
  readonly placeholder: string
}

/**
 * What the product says in words. A screen reader does not read it out by itself: the text grows with each
 * word, and its reader hears the speaker anyway.
 */
export function Captions({ stream, label, placeholder }: CaptionsProps): ReactNode {
  const lines = useStreamValue(stream, appendLine) ?? []
  return (
    <div className="transcript" role="group" aria-label={label} tabIndex={0}>
      <ul>
        {lines.length === 0 && <li className="placeholder">{placeholder}</li>}
        {lines.map(({ id, text, final, kind }) => (
          <li
            key={id}
            className={final ? kind : `interim ${kind}`}
            lang={kind === 'translated' ? 'es' : 'en'}
          >
            {text}
          </li>
        ))}
      </ul>
    </div>
  )
}

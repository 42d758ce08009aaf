import type { VoiceError } from '@stagepass/react'
import { type ReactNode, useState } from 'react'

interface SupportIdProps {
  readonly error: VoiceError | null
  /** Name of the product. */
  readonly name: string
}

/** The id of the failed request, to copy. `VoiceSession` shows it by itself. */
export function SupportId({ error, name }: SupportIdProps): ReactNode {
  const id = error?.reqId ?? error?.requestId
  const [said, setSaid] = useState({ id, words: '' })
  if (id === undefined) return null
  const say = (words: string) => (): void => setSaid({ id, words })
  return (
    <p className="row support">
      Id for support: <code>{id}</code>
      <button
        className="button"
        aria-label={`Copy, ${name}`}
        onClick={() =>
          void navigator.clipboard.writeText(id).then(say('Copied.'), say('Not copied. Select it.'))
        }
      >
        Copy
      </button>
      <span role="status">{said.id === id && said.words}</span>
    </p>
  )
}

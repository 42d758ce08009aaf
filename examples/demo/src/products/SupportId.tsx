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
  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setSaid({ id, words: 'Copied.' })
    } catch {
      setSaid({ id, words: 'Not copied. Select it.' })
    }
  }
  return (
    <p className="row support">
      Id for support: <code>{id}</code>
      <button className="button" aria-label={`Copy, ${name}`} onClick={() => void copy(id)}>
        Copy
      </button>
      <span role="status">{said.id === id && said.words}</span>
    </p>
  )
}

import type { ReactNode } from 'react'
import { useState } from 'react'
import { RECORDING_WORDS } from './demoProducts.js'

/** Text to be spoken. */
export function TextControl({
  disabled,
  onSend,
}: {
  readonly disabled: boolean
  readonly onSend: (text: string) => void
}): ReactNode {
  const [text, setText] = useState(RECORDING_WORDS)
  return (
    <form
      className="row grow"
      onSubmit={(event) => {
        event.preventDefault()
        onSend(text.trim())
      }}
    >
      <input
        className="input grow"
        aria-label="Text to speak"
        placeholder="Text to speak"
        maxLength={500}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button className="button" disabled={disabled || text.trim() === ''}>
        Speak
      </button>
    </form>
  )
}

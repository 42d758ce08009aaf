import type { ReactNode } from 'react'
import { Icon } from '../ui/Icon.js'

interface SoundSwitchProps {
  readonly name: string
  readonly on: boolean
  readonly onChange: (on: boolean) => void
}

/** Whether what comes back is heard. */
export function SoundSwitch({ name, on, onChange }: SoundSwitchProps): ReactNode {
  return (
    <button
      className="button quiet square"
      aria-pressed={on}
      aria-label={`Sound of ${name}`}
      onClick={() => onChange(!on)}
    >
      <Icon name={on ? 'sound' : 'silent'} />
    </button>
  )
}

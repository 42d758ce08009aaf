import type { UseVoiceSessionResult } from '@stagepass/react/audio'
import { VoiceSession } from '@stagepass/registry/voice-session'
import { type ReactNode, useId, useState } from 'react'
import { Recording } from './Recording.js'

const SOURCES = { recording: 'A recording', microphone: 'Your microphone' } as const

interface ControlsProps {
  readonly session: UseVoiceSessionResult<never, unknown>
  /** Name of the product. */
  readonly name: string
  /** Chooses microphone and loudspeaker. */
  readonly devices: ReactNode
  /** As in `Recording`. */
  readonly silenceMs?: number
  readonly onFrame?: (frame: ArrayBuffer) => void
  readonly isFirstLook?: boolean
}

/** Starts and ends a session: one control, with two sources of sound. */
export function Controls({ session, name, devices, ...recording }: ControlsProps): ReactNode {
  const id = useId()
  const [source, setSource] = useState<keyof typeof SOURCES>('recording')

  function choose(next: keyof typeof SOURCES): void {
    // The other source ends, with its last words.
    session.stop()
    setSource(next)
  }

  return (
    <div className="dock">
      <fieldset className="sources">
        <legend className="unseen">What {name} hears</legend>
        {Object.entries(SOURCES).map(([value, words]) => (
          <label key={value}>
            <input
              type="radio"
              name={id}
              checked={value === source}
              onChange={() => choose(value as keyof typeof SOURCES)}
            />
            {words}
          </label>
        ))}
      </fieldset>
      {source === 'recording' ? (
        <Recording session={session} name={name} {...recording} />
      ) : (
        <VoiceSession session={session} name={name} devices={devices} />
      )}
    </div>
  )
}

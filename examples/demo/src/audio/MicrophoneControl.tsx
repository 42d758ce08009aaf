import type { AudioError } from '@stagepass/react/audio'
import { useMicrophone, useMicrophones } from '@stagepass/react/audio'
import type { ReactNode } from 'react'
import { Icon } from '../ui/Icon.js'
import { LevelMeter } from './LevelMeter.js'

interface MicrophoneControlProps {
  readonly disabled: boolean
  readonly onFrame: (frame: ArrayBuffer) => void
}

/** The person's own voice: on, muted, off, and from which microphone. */
export function MicrophoneControl({ disabled, onFrame }: MicrophoneControlProps): ReactNode {
  const microphone = useMicrophone({ onFrame })
  const devices = useMicrophones()
  const { status, muted } = microphone

  if (status === 'capturing' || status === 'recovering') {
    return (
      <>
        <button className="button" onClick={microphone.stop}>
          <Icon name="stop" size={16} />
          Stop microphone
        </button>
        <button
          className="button square"
          aria-pressed={muted}
          aria-label="Mute"
          onClick={() => microphone.setMuted(!muted)}
        >
          <Icon name={muted ? 'muted' : 'microphone'} />
        </button>
        <LevelMeter level={microphone.level} />
        {devices.length > 1 && (
          <select
            className="input grow"
            aria-label="Microphone"
            value={status === 'capturing' ? microphone.deviceId : ''}
            onChange={(event) => void microphone.start({ deviceId: event.target.value })}
          >
            {devices.map(({ deviceId, label }) => (
              <option key={deviceId} value={deviceId}>
                {label || 'Microphone'}
              </option>
            ))}
          </select>
        )}
      </>
    )
  }
  return (
    <>
      <button
        className="button"
        disabled={disabled || status === 'starting'}
        onClick={() => void microphone.start()}
      >
        <Icon name="microphone" size={16} />
        Microphone
      </button>
      {status === 'failed' && <MicrophoneProblem error={microphone.error} />}
    </>
  )
}

function MicrophoneProblem({ error }: { readonly error: AudioError }): ReactNode {
  return (
    <p className="notice" role="alert">
      {error.message}
    </p>
  )
}

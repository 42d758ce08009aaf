import type { AudioDevice, AudioError } from '@stagepass/audio'
import { useMicrophone, useMicrophones, type UseMicrophoneResult } from '@stagepass/react/audio'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { Icon } from '../ui/Icon.js'
import { DelayFigure } from './DelayFigure.js'
import { DeviceMenu } from './DeviceMenu.js'
import { LevelMeter } from './LevelMeter.js'

interface MicrophoneControlProps {
  readonly disabled: boolean
  readonly onFrame: (frame: ArrayBuffer) => void
}

/** The person's own voice: on, muted, off, and from which microphone. */
export function MicrophoneControl({ disabled, onFrame }: MicrophoneControlProps): ReactNode {
  const [chosen, setChosen] = useState<AudioDevice>()
  const microphone = useMicrophone({ onFrame, deviceId: chosen?.deviceId })
  const devices = useMicrophones()
  const { status, muted } = microphone
  const [wasUsed, setWasUsed] = useState(false)

  // A change of device passes through `starting`: the controls stay, and the menu keeps the focus.
  if (status === 'capturing' || status === 'recovering' || (status === 'starting' && wasUsed)) {
    const used = devices.find(({ deviceId }) => status === 'capturing' && deviceId === microphone.deviceId)
    return (
      <>
        <button
          className="button"
          onClick={() => {
            setWasUsed(false)
            microphone.stop()
          }}
        >
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
        <DelayFigure of="microphone" latencyMs={microphone.latencyMs} />
        <DeviceMenu
          kind="Microphone"
          devices={devices}
          value={chosen ?? used}
          onChange={(device) => {
            setWasUsed(true)
            setChosen(device)
          }}
        />
        <p className="device-state" role="status">
          {wordsOf(microphone, chosen)}
        </p>
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

/** What is not as the person wants it. */
function wordsOf(microphone: UseMicrophoneResult, chosen: AudioDevice | undefined): string {
  if (microphone.status === 'recovering') return 'The microphone is gone. Looking for another one.'
  if (microphone.status !== 'capturing') return ''
  if (microphone.suspended) return 'The system has taken the microphone. You are not heard.'
  if (!chosen || chosen.deviceId === microphone.deviceId) return ''
  return `${chosen.label} cannot be used now. You are heard through ${microphone.label} until it can.`
}

function MicrophoneProblem({ error }: { readonly error: AudioError }): ReactNode {
  return (
    <p className="notice" role="alert">
      {error.message}
    </p>
  )
}

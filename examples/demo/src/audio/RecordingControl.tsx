import type { ReactNode } from 'react'
import { formatClock } from '../ui/format.js'
import { Icon } from '../ui/Icon.js'
import { useSendRecording } from './useSendRecording.js'

interface RecordingControlProps {
  readonly disabled: boolean
  readonly onStart: () => void
  readonly onFrame: (frame: ArrayBuffer) => void
}

/** Sends the bundled recording, with its progress and a way out. */
export function RecordingControl({ disabled, onStart, onFrame }: RecordingControlProps): ReactNode {
  const { state, start, cancel } = useSendRecording(onFrame)
  if (state.status === 'sending' && !disabled) {
    return (
      <>
        <button className="button" onClick={cancel}>
          <Icon name="stop" size={16} />
          Stop
        </button>
        <span className="progress numbers">
          <progress aria-label="Recording sent" max={state.totalMs} value={state.sentMs} />
          {formatClock(state.totalMs - state.sentMs)}
        </span>
      </>
    )
  }
  return (
    <>
      <button
        className="button"
        disabled={disabled}
        onClick={() => {
          onStart()
          void start()
        }}
      >
        <Icon name="play" size={16} />
        Send recording
      </button>
      {state.status === 'failed' && <span role="alert">{state.reason}</span>}
    </>
  )
}

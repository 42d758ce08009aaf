import type { StreamStatus } from '@stagepass/react'
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { formatClock } from '../ui/format.js'
import { Icon } from '../ui/Icon.js'
import { useSendRecording } from './useSendRecording.js'

interface RecordingControlProps {
  readonly stream: StreamStatus
  /** Sent after the recording. */
  readonly silenceMs: number
  /** In the tap itself. Connects the stream, unless it is connected. */
  readonly onStart: () => void
  readonly onFrame: (frame: ArrayBuffer) => void
}

/** Sends the bundled recording, once the stream is open, with its progress and a way out. */
export function RecordingControl({ stream, silenceMs, onStart, onFrame }: RecordingControlProps): ReactNode {
  const { state, start, cancel } = useSendRecording(stream, silenceMs, onFrame)
  const busy = state.status === 'waiting' || state.status === 'sending'

  function press({ detail }: MouseEvent): void {
    // The second click of a double click would stop what the first has started.
    if (detail > 1) return
    if (busy) return cancel()
    onStart()
    start()
  }

  return (
    <>
      <button className="button" onClick={press} onKeyDown={ignoreRepeats}>
        <Icon name={busy ? 'stop' : 'play'} size={16} />
        {busy ? 'Stop' : 'Send recording'}
      </button>
      {state.status === 'waiting' && <span className="progress">Starts when connected</span>}
      {state.status === 'sending' && (
        <span className="progress numbers">
          <progress aria-label="Recording sent" max={state.totalMs} value={state.sentMs} />
          {formatClock(state.totalMs - state.sentMs)}
        </span>
      )}
      {state.status === 'failed' && <span role="alert">{state.reason}</span>}
    </>
  )
}

/** A key that is held down presses a button again and again. */
function ignoreRepeats(event: KeyboardEvent): void {
  if (event.repeat) event.preventDefault()
}

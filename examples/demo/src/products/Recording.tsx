import type { UseVoiceSessionResult } from '@stagepass/react/audio'
import { type MouseEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useRecording } from './useRecording.js'

interface RecordingProps {
  readonly session: UseVoiceSessionResult<never, unknown>
  /** Name of the product. */
  readonly name: string
  /** Silence after the recording. Default 0. */
  readonly silenceMs?: number
  readonly onFrame?: (frame: ArrayBuffer) => void
  /** Starts automatically if the user does nothing, and stops when the user does something. Default false. */
  readonly isFirstLook?: boolean
}

/** Time from the first look at the page to the start of the recording. */
const FIRST_LOOK_MS = 1_000

const WORDS = { idle: 'Send recording', on: 'Pause recording', paused: 'Go on with recording' }

/** A button that sends a recording in place of the microphone, and shows the progress. */
export function Recording(props: RecordingProps): ReactNode {
  const { session, name, silenceMs, onFrame, isFirstLook = false } = props
  const { stream, playback } = session
  const boxRef = useRef<HTMLDivElement>(null)
  const [isByItself, setIsByItself] = useState(false)
  const { state, share, error, start, pause, resume, stop } = useRecording(session, {
    silenceMs,
    onFrame,
    onEnd: () => endFirstLook(() => void stream.finish()),
  })

  /** The user did not ask for this connection, so it is closed. */
  function endFirstLook(close: () => void): void {
    if (isByItself) close()
    setIsByItself(false)
  }
  const begin = useEffectEvent(() => {
    start()
    setIsByItself(true)
  })
  const onAct = useEffectEvent(({ target }: Event) => {
    if (!isByItself || boxRef.current?.contains(target as Node)) return
    stop()
    endFirstLook(stream.close)
  })
  useEffect(() => {
    if (!isFirstLook || matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined
    const timer = setTimeout(begin, FIRST_LOOK_MS)
    const listener = (event: Event): void => {
      clearTimeout(timer)
      onAct(event)
    }
    addEventListener('pointerdown', listener, true)
    addEventListener('keydown', listener, true)
    return () => {
      clearTimeout(timer)
      removeEventListener('pointerdown', listener, true)
      removeEventListener('keydown', listener, true)
    }
  }, [isFirstLook])

  function press({ detail }: MouseEvent): void {
    // The second click of a double click would pause the recording that the first one starts.
    if (detail > 1) return
    // Browsers allow sound only in the handler of the click.
    playback.unlock()
    if (state === 'idle') start()
    else if (state === 'on') pause()
    else resume()
  }

  return (
    <div className="recording" ref={boxRef}>
      <button className="button" aria-label={`${WORDS[state]}, ${name}`} onClick={press}>
        {WORDS[state]}
      </button>
      {state !== 'idle' && stream.status === 'open' && (
        <progress aria-label={`Recording sent to ${name}`} value={share} />
      )}
      {state !== 'idle' && stream.status !== 'open' && <span>Starts when connected.</span>}
      {isByItself && state !== 'idle' && (
        <p>
          For a first look this recording plays by itself, muted, until you do something. It goes to an
          emulator on this machine, so it costs no minutes.
        </p>
      )}
      {error && <p role="alert">{error}</p>}
    </div>
  )
}

import type { UseVoiceSessionResult } from '@stagepass/react/audio'
import { type MouseEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { SupportId } from './SupportId.js'
import { type RecordingState, useRecording } from './useRecording.js'

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
const FIRST_LOOK =
  'For a first look this recording plays by itself, muted, until you do something. It goes to an emulator on this machine, so it costs no minutes.'

/**
 * Sends a recording in place of the microphone, and shows the progress. The same buttons as `VoiceSession`.
 */
export function Recording(props: RecordingProps): ReactNode {
  const { session, name, silenceMs, onFrame, isFirstLook = false } = props
  const { stream, playback } = session
  const boxRef = useRef<HTMLElement>(null)
  const [isByItself, setIsByItself] = useState(false)
  const { state, share, error, start, pause, resume, stop } = useRecording(session, {
    silenceMs,
    onFrame,
    // The user did not ask for this connection, so it is closed.
    onEnd: () => (isByItself ? void stream.finish().finally(() => setIsByItself(false)) : undefined),
  })
  const isOn = state !== 'idle'
  const isFailed = stream.status === 'failed'
  const failure = stream.failureReason

  function end(): void {
    stop()
    session.stop()
    setIsByItself(false)
  }
  const begin = useEffectEvent(() => {
    start()
    setIsByItself(true)
  })
  const onAct = useEffectEvent(({ target }: Event) => {
    if (isByItself && !boxRef.current?.contains(target as Node)) end()
  })
  useEffect(() => {
    if (!isFirstLook || matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined
    const timer = setTimeout(begin, FIRST_LOOK_MS)
    const listening = new AbortController()
    const { signal } = listening
    const stayQuiet = (): void => clearTimeout(timer)
    addEventListener('pointerdown', stayQuiet, { capture: true, signal })
    addEventListener('keydown', stayQuiet, { capture: true, signal })
    addEventListener('keydown', onAct, { capture: true, signal })
    // After what the click does: the end moves what is below, and a click would hit nothing.
    addEventListener('click', onAct, { signal })
    return () => {
      stayQuiet()
      listening.abort()
    }
  }, [isFirstLook])

  function press({ detail }: MouseEvent): void {
    // The second click of a double click would end the recording that the first one starts.
    if (detail > 1) return
    if (isOn) return end()
    // Browsers allow sound only in the handler of the click.
    playback.unlock()
    start()
  }

  const words = isOn ? 'End' : isFailed ? 'Try again' : 'Start'
  const hold = {
    on: { words: 'Pause', act: pause },
    paused: { words: 'Go on', act: resume },
    over: { words: 'Again', act: start },
    idle: undefined,
  }[state]
  return (
    <section className="recording" aria-label={`Recording for ${name}`} ref={boxRef}>
      <p role="status">{isByItself && isOn ? FIRST_LOOK : isFailed ? '' : lineOf(state, stream.status)}</p>
      {isOn && stream.status === 'open' && (
        <progress aria-label={`Recording sent to ${name}`} value={share} />
      )}
      {(error || failure) && (
        <p className="failure" role={failure?.retryable ? undefined : 'alert'}>
          {error || failure?.message}
        </p>
      )}
      <SupportId error={stream.error} name={name} />
      <div className="row actions">
        <button className="button primary" aria-label={`${words}, ${name}`} onClick={press}>
          {words}
        </button>
        {hold && (
          <button className="button" aria-label={`${hold.words}, ${name}`} onClick={hold.act}>
            {hold.words}
          </button>
        )}
      </div>
    </section>
  )
}

function lineOf(state: RecordingState, status: string): string {
  if (state === 'paused') return 'The recording is paused.'
  if (state === 'on') return status === 'open' ? 'The recording is heard.' : 'It begins when it is connected.'
  if (state === 'over') return 'The recording is over, and the connection is open.'
  if (status === 'open') return 'The last words are on their way.'
  return 'Ten seconds of a novel, read aloud.'
}

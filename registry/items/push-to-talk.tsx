'use client'

import { useMicrophonePermission, usePushToTalk, type UseVoiceSessionResult } from '@stagepass/react/audio'
import { type ReactNode, useState, useSyncExternalStore } from 'react'
import './push-to-talk.css'

type Mode = 'hold' | 'toggle'
type Permission = ReturnType<typeof useMicrophonePermission>
type Session = Pick<
  UseVoiceSessionResult<never, unknown>,
  'status' | 'error' | 'microphone' | 'start' | 'stop'
>

export interface PushToTalkProps {
  /** The result of `useVoiceSession`. */
  readonly session: Session
  /** The text of the button in each state. Default: "Hold to talk" or "Press to talk". */
  readonly label?: string | undefined
  /** The product, such as "Speech-to-Text". Needed if the page has several buttons. */
  readonly name?: string | undefined
  /** Sets the mode. Default: the user chooses it with a switch, and the choice is stored. */
  readonly mode?: Mode | undefined
  /** False if the page announces the state elsewhere, as `VoiceSession` does. Default true. */
  readonly isAnnounced?: boolean | undefined
  /** Called when the user uses the switch. With `mode` but without `onMode` there is no switch. */
  readonly onMode?: ((mode: Mode) => void) | undefined
}

/** A button that is held, or pressed twice, to talk. The microphone is on while it is pressed. */
export function PushToTalk(props: PushToTalkProps): ReactNode {
  const { session, label, name, mode: given, onMode, isAnnounced = true } = props
  const kept = useSyncExternalStore(watchKept, readKept, () => 'hold' as const)
  /** The choice, if the browser refused to store it. */
  const [unkept, setUnkept] = useState<Mode>()
  const mode = given ?? unkept ?? kept
  const talk = usePushToTalk(session, { mode })
  const permission = useMicrophonePermission()
  const text = label ?? (mode === 'hold' ? 'Hold to talk' : 'Press to talk')

  function choose(next: Mode): void {
    if (given === undefined && !keep(next)) setUnkept(next)
    onMode?.(next)
  }

  return (
    <div className="stagepass-push-to-talk" data-status={session.status}>
      {/* Above the button, because a finger is on it. */}
      <p role={isAnnounced ? 'status' : undefined}>
        {talk.disabled ? 'Sign in to talk' : wordsOf(session, mode, permission)}
      </p>
      {/* What is said to be pressed keeps its name. */}
      <button aria-label={name === undefined ? undefined : `${text}, ${name}`} {...talk}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <rect x="9" y="3" width="6" height="11" rx="3" />
          <path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" />
        </svg>
        {/* Alone in its element: a browser that translates the page replaces it. */}
        <span>{text}</span>
      </button>
      {(given === undefined || onMode) && (
        <label>
          <input
            type="checkbox"
            role="switch"
            checked={mode === 'toggle'}
            onChange={({ target }) => choose(target.checked ? 'toggle' : 'hold')}
          />
          Press once to talk, once to stop
        </label>
      )}
    </div>
  )
}

function wordsOf({ status, error, microphone }: Session, mode: Mode, permission: Permission): string {
  if (status === 'idle') return permission === 'denied' ? 'The microphone is not allowed' : 'Not listening'
  if (status === 'failed') return error?.message ?? ''
  if (status === 'stopping') return 'Last words…'
  if (status === 'paused') return 'Paused'
  if (status === 'queued') return 'Everything is in use. You are not heard until it is your turn'
  if (microphone.status === 'starting') return 'Starting, wait a moment'
  if (microphone.status === 'recovering') {
    return microphone.error.code === 'NO_SOUND' ? 'The microphone starts again' : 'The microphone is gone'
  }
  if (microphone.suspended) return 'A call has the microphone'
  if (microphone.muted) return 'You are muted'
  // It also listens while it waits for speech: nothing that is said is lost.
  const isHeard = status === 'active' || status === 'waiting'
  const words = isHeard ? 'Listening' : 'Listening while it connects'
  // Not "release to stop": another button of the page may have started the session.
  return mode === 'toggle' ? `${words}, press to stop` : words
}

const KEY = 'stagepass-push-to-talk'

function readKept(): Mode {
  try {
    return localStorage.getItem(KEY) === 'toggle' ? 'toggle' : 'hold'
  } catch {
    // The browser may refuse access to the storage.
    return 'hold'
  }
}

/** Returns false if the browser refuses. */
function keep(mode: Mode): boolean {
  try {
    localStorage.setItem(KEY, mode)
  } catch {
    return false
  }
  // Browsers send this event only to other pages, and this page may have several buttons.
  window.dispatchEvent(new StorageEvent('storage', { key: KEY }))
  return true
}

function watchKept(onChange: () => void): () => void {
  window.addEventListener('storage', onChange)
  return () => window.removeEventListener('storage', onChange)
}

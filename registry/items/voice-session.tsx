'use client'

import { isVoiceError, useVoiceClient } from '@stagepass/react'
import { useMicrophonePermission, type UseVoiceSessionResult } from '@stagepass/react/audio'
import {
  type ComponentProps,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import './voice-session.css'

type Session = UseVoiceSessionResult<never, unknown>
type Permission = ReturnType<typeof useMicrophonePermission>

export interface VoiceSessionProps {
  /** The result of `useVoiceSession`. */
  readonly session: Session
  /** The product, such as "Speech-to-Text": the heading, and a part of each button's name. */
  readonly name: string
  /** Opens your login. Without it there is no button to sign in. */
  readonly onSignIn?: (() => void) | undefined
  /** Chooses the devices, such as a `DeviceSelect`: behind a button. Default: there is no such button. */
  readonly devices?: ReactNode
}

/** Starts, pauses and ends a session. Shows the state of the connection, and what to do if it fails. */
export function VoiceSession({ session, name, onSignIn, devices }: VoiceSessionProps): ReactNode {
  const { status, error, stream, microphone, playback, resume, pause } = session
  const advice = error && ADVICE[('deniedBy' in error && error.deniedBy) || error.code]
  const reqId = isVoiceError(error) && !advice ? (error.reqId ?? error.requestId) : undefined
  const [copied, setCopied] = useState({ reqId: '', words: '' })
  const [isChoosing, setChoosing] = useState(false)
  const devicesId = useId()
  const isOff = status === 'idle' || status === 'failed'
  const isHeard = status === 'active' && !microphone.muted && !microphone.suspended
  const isKept = !playback.paused && !microphone.muted
  const isSignedOut = useVoiceClient().user === null
  const permission = useMicrophonePermission()
  /** One button for all actions, so that it keeps the focus. */
  const main = isOff
    ? { words: error ? 'Try again' : 'Start', onClick: session.start }
    : { words: END[status] ?? 'End', onClick: session.stop }
  const hold = playback.paused ? { words: 'Go on', onClick: resume } : { words: 'Pause', onClick: pause }
  const copyWords = copied.reqId === reqId ? copied.words : ''
  const line = copyWords || (isSignedOut ? 'Sign in to begin.' : lineOf(session, permission))
  const [said, setSaid] = useState({ line, isQuiet: false })
  // Speech and silence alternate: the first wait is announced, and the later ones are only shown.
  if (said.line !== line)
    setSaid({ line, isQuiet: session.silence.opens > 0 && [said.line, line].every(isOfSpeech) })
  return (
    <section
      className="stagepass-voice-session"
      data-state={isHeard ? 'heard' : status}
      aria-label={name}
      {...useKeptFocus()}
    >
      <h3>{name}</h3>
      {/* The only line that is announced when it changes. What counts seconds is not in it. */}
      <p className="line" role="status">
        {said.isQuiet ? '' : line}
      </p>
      {said.isQuiet && <p className="line">{line}</p>}
      {stream.queue && <Place {...stream.queue} />}
      {['reconnecting', 'open'].includes(stream.status) && <Wait stream={stream} isKept={isKept} />}
      <p role="alert">{error && (advice ?? error.message)}</p>
      {reqId !== undefined && (
        <p className="quote">
          Id for support: <code>{reqId}</code>
          <Action of={name} words={copyWords || 'Copy'} onClick={() => void copy(reqId, setCopied)} />
        </p>
      )}
      <div className="actions">
        {onSignIn && (isSignedOut || isVoiceError(error, 'UNAUTHENTICATED')) && (
          <Action of={name} words={isSignedOut ? 'Sign in' : 'Sign in again'} onClick={onSignIn} />
        )}
        {(playback.status === 'blocked' || playback.status === 'failed') && (
          <Action of={name} words="Play the sound" onClick={playback.unlock} />
        )}
        <Action of={name} {...main} disabled={isOff && isSignedOut} />
        {stream.retryAt && <Action of={name} words="Try now" onClick={stream.open} />}
        {['active', 'waiting', 'paused', 'recovering'].includes(status) && <Action of={name} {...hold} />}
        {devices && (
          <Action
            of={name}
            words="Devices"
            className="devices"
            aria-expanded={isChoosing}
            aria-controls={devicesId}
            onClick={() => setChoosing(!isChoosing)}
          />
        )}
      </div>
      {devices && (
        <div id={devicesId} hidden={!isChoosing}>
          {isChoosing && devices}
        </div>
      )}
    </section>
  )
}

/** If a button goes, by its press or by itself, the section gets its focus. */
function useKeptFocus() {
  const ref = useRef<HTMLElement>(null)
  const focused = useRef<Element>(null)
  useEffect(() => {
    if (focused.current?.isConnected === false) ref.current?.focus()
  })
  return {
    ref,
    tabIndex: -1,
    onFocus: (event: FocusEvent) => void (focused.current = event.target),
    onBlur: () => void (focused.current = null),
  }
}

/** A button. Its name includes the product, because a page may have several sessions. */
function Action({ words, of, ...button }: ComponentProps<'button'> & { words: string; of: string }) {
  return (
    <button type="button" aria-label={`${words}, ${of}`} onKeyDown={ignoreRepeat} {...button}>
      {words}
    </button>
  )
}

/** A key that is held down clicks again and again. */
const ignoreRepeat = (event: KeyboardEvent) => event.repeat && event.key === 'Enter' && event.preventDefault()

/** The state of microphone and service in plain words. */
function lineOf({ status, stream, microphone, playback, silence }: Session, permission: Permission): string {
  if (status === 'idle') return permission === 'denied' ? NOT_ALLOWED : 'The microphone is off.'
  if (status === 'stopping') return 'The microphone is off. Your last words are on their way.'
  if (status === 'failed') return '' // The alert shows the error.
  if (microphone.status === 'recovering') return LOST[microphone.error.code] ?? ''
  if (microphone.status === 'starting') return 'Allow the microphone, if the browser asks.'
  if (stream.status === 'reconnecting') {
    const { lostBy, message } = stream.failureReason
    return `${LOST[lostBy ?? ''] ?? message} This page connects again by itself.`
  }
  if (microphone.suspended) return 'A call or another application has the microphone. You are not heard.'
  if (status === 'queued') return 'Everything is in use. You are not heard until it is your turn.'
  if (status === 'starting') return 'Connecting. What you say is kept.'
  if (status === 'paused') return 'Paused. You are not heard.'
  if (microphone.muted) return 'You are muted. You are not heard.'
  if (status === 'waiting') return WAITING
  if (playback.status === 'blocked') return 'You are heard. To hear the answer, press “Play the sound”.'
  if (playback.status === 'failed') return 'You are heard, but nothing can be played.'
  return silence.unavailable ? HEARD_ALWAYS : HEARD
}

/** Before the first press. The button stays on: a browser may ask all the same. */
const NOT_ALLOWED =
  'The microphone is not allowed. Press the icon before the address of this page, and allow the microphone.'

/** The button that ends a session. */
const END: Readonly<Partial<Record<Session['status'], string>>> = {
  stopping: 'End now',
  queued: 'Leave the queue',
}

const HEARD = 'You are heard.'
const HEARD_ALWAYS = 'You are heard. Minutes count in silence too.'

/** Says also why the light of the microphone stays on. */
const WAITING =
  'Waiting for speech. The microphone stays on to notice it. Nothing is sent, and no minutes count.'

const isOfSpeech = (line: string): boolean => [HEARD, HEARD_ALWAYS, WAITING].includes(line)

/** Says why the sound or the connection was lost. */
const LOST: Readonly<Record<string, string | undefined>> = {
  DEVICE_LOST: 'The microphone is gone. Plug it in, or choose another one.',
  NO_SOUND: 'The microphone has stopped. It is restarted automatically. You are not heard.',
  close: 'The connection was closed.',
  refusal: 'The service has ended the connection.',
  expiry: 'The connection has expired.',
  stall: 'No data can be sent.',
  silence: 'The service sends nothing.',
  unanswered: 'The service does not answer.',
  sleep: 'This device was asleep.',
  away: 'The network was lost.',
  rollover: 'The connection is replaced.',
}

/** Says what to do, if the message does not say it: by what denies the microphone, or by code. */
const ADVICE: Readonly<Record<string, string | undefined>> = {
  frame: 'The page around this one does not allow the microphone. Open this page in its own tab.',
  header: 'The microphone cannot be allowed here, because this site has turned it off.',
  PERMISSION_DENIED:
    'The microphone is not allowed. Press the icon before the address of this page, allow the microphone, and try again.',
  UNAUTHENTICATED: 'Your sign-in has ended. Sign in again to go on.',
  USAGE_EXHAUSTED:
    'Your minutes are used up, or too few to begin. There are new ones when the next day or month begins.',
  ACCOUNT_USAGE_EXHAUSTED:
    'The minutes of your company are used up. You cannot change that here: ask who manages this service in your company.',
}

/** A place is announced at most this often. */
const ANNOUNCE_MS = 10_000

/** The place in the queue: shown at once, and announced from time to time. */
function Place({ place, of }: NonNullable<Session['queue']>) {
  const words = `You are ${ordinalOf(place)} of ${of} in the queue.`
  const [said, setSaid] = useState(words)
  const saidAt = useRef(0)
  useEffect(() => {
    saidAt.current = Date.now()
  }, [])
  useEffect(() => {
    const say = (): void => {
      saidAt.current = Date.now()
      setSaid(words)
    }
    const timer = setTimeout(say, saidAt.current + ANNOUNCE_MS - Date.now())
    return () => clearTimeout(timer)
  }, [words])
  return (
    <>
      <p className="place" aria-hidden="true">
        {words}
      </p>
      <p className="unseen" role="status">
        {said}
      </p>
    </>
  )
}

function ordinalOf(number: number): string {
  const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
  return `${number}${suffixes[new Intl.PluralRules('en', { type: 'ordinal' }).select(number)] ?? 'th'}`
}

/** Counts down to the next try, and shows how much sound waits for it. Never announced. */
function Wait({ stream: { status, stats, retryAt }, isKept }: Pick<Session, 'stream'> & { isKept: boolean }) {
  const [first, setFirst] = useState(stats)
  const [{ queued, dropped, now }, setStats] = useState({ ...first, now: Infinity })
  const isOpen = status === 'open'
  useEffect(() => {
    const timer = setInterval(() => {
      setStats({ ...stats(), now: Date.now() })
      // The next outage counts from here.
      if (isOpen) setFirst(stats())
    }, 1_000)
    return () => clearInterval(timer)
  }, [stats, isOpen])
  const seconds = Math.round(queued / 50) // The microphone sends a message every 20 ms.
  const leftMs = Number(retryAt) - now
  const words = [
    leftMs > 0 && `The next try is in ${timeOf(leftMs)}.`,
    isKept &&
      seconds > 1 &&
      `${seconds} seconds of what you said ${isOpen ? 'wait to be sent' : 'are kept'}.`,
    isKept && !isOpen && dropped > first.dropped && 'What you said before is lost.',
  ]
  // One text: a browser that translates the page replaces texts, and React could not remove one of several.
  const text = words.filter(Boolean).join(' ')
  return text && <p className="kept">{text}</p>
}

/** A server may ask for a pause of minutes. */
const timeOf = (ms: number): string =>
  ms > 90_000 ? `${Math.ceil(ms / 60_000)} min` : `${Math.ceil(ms / 1_000)} s`

/** Copies the id, and shows whether that worked. */
async function copy(reqId: string, show: (copied: { reqId: string; words: string }) => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(reqId)
    show({ reqId, words: 'Copied' })
  } catch {
    show({ reqId, words: 'Not copied. Select it.' })
  }
}

import type { EventBody, SilenceEvent } from '../../events/events.js'
import type { StreamStatus } from '../../stream/machine/state.js'

/** The phase of a stream, and what decides the next one. */
export interface Silence {
  readonly phase: 'open' | 'closing' | 'listening' | 'closed'
  /** The stream was closed, and is not open again yet. */
  readonly isWaiting: boolean
  /** How many times speech has opened the stream. */
  readonly opens: number
  /** Set while the stream is open because of speech: whether the service has sent a text. */
  readonly hadText: boolean | undefined
  /** The last text may still grow. */
  readonly isGrowing: boolean
  /** How long a `finish` waits for the last text. */
  readonly finishMs: number
  readonly falseAlarmsAt: readonly number[]
  /** Until then too many false alarms keep the stream open. */
  readonly keepUntil: number
  /** For how long the stream was closed before, and since when it is now. */
  readonly closedMs: number
  readonly closedAt: number | undefined
}

export type SilenceInput =
  /** There is speech in a session. */
  | 'speech'
  /** A session needs the stream without speech. */
  | 'needed'
  /** A frame was heard, or a second has passed. */
  | 'review'
  /** The service has sent a text that may still grow. */
  | 'text'
  | 'final text'
  | 'sound'
  /** A second has passed since the last sound. */
  | 'quiet'
  /** The `finish` of the stream has ended. */
  | 'finished'
  /** The status of the stream has changed. */
  | 'changed'

/** What all sessions on the stream do after a step, in this order. */
export type SilenceEffect =
  /** `isWaiting` or the saved time has changed. */
  | 'show'
  | 'open'
  /** Closes the stream after the last words of the service, then `finished`. */
  | 'finish'
  /** Steps `quiet` a second later. */
  | 'wait for quiet'
  /** Lets sound pass, because another component has opened the stream. */
  | 'let pass'
  /** The service has found words in the speech that had opened the stream, or none. */
  | 'words'
  | 'no words'
  /** Emits `KEPT_OPEN`. */
  | 'report'

/** Everything that a transition reads in addition to the state. */
export interface SilenceContext {
  /** Monotonic milliseconds. */
  readonly now: number
  readonly stream: StreamStatus
  /** Another component needs the stream, with or without speech. */
  readonly isShared: boolean
  /** There is silence in all sessions. */
  readonly isSilent: boolean
  /** The shortest of the sessions. */
  readonly closeAfterMs: number
}

export type SilenceOutcome = readonly [silence: Silence, ...effects: SilenceEffect[]]

/** Time for the last text of the service, counted from the last voice. `closeAfterMs` is a part of it. */
const LAST_TEXT_MS = 2_500
const SHORTEST_WAIT_MS = 500
/** How long a text is waited for that may still grow. */
const GROWING_TEXT_MS = 3_000
/** After so many openings without speech in `FALSE_ALARMS_IN_MS`, the stream stays open for `forMs`. */
export const KEPT_OPEN = {
  type: 'silence.kept_open',
  falseAlarms: 5,
  forMs: 60_000,
} as const satisfies EventBody<SilenceEvent>
const FALSE_ALARMS_IN_MS = 60_000

export const OPEN: Silence = {
  phase: 'open',
  isWaiting: false,
  opens: 0,
  hadText: undefined,
  isGrowing: false,
  finishMs: 0,
  falseAlarmsAt: [],
  keepUntil: -Infinity,
  closedMs: 0,
  closedAt: undefined,
}

/** The transitions of the part `stream`, which `session/transition.ts` draws. */
export function silenceTransition(
  silence: Silence,
  input: SilenceInput,
  context: SilenceContext,
): SilenceOutcome {
  const { phase, hadText } = silence
  const { now } = context
  const isClosing = phase === 'closing' || phase === 'listening'
  switch (input) {
    case 'speech': {
      const { opens } = silence
      const next = { ...silence, opens: opens + 1, hadText: false, isGrowing: false }
      return open(phase === 'closed' ? next : silence, now)
    }
    case 'needed':
      return open(silence, now)
    case 'review':
      return phase === 'open' ? review(silence, context) : [silence]
    case 'text':
    case 'final text': {
      const isOpenedBySpeech = hadText !== undefined
      return [{ ...silence, hadText: isOpenedBySpeech ? true : undefined, isGrowing: input === 'text' }]
    }
    case 'sound':
      // No frame is sent meanwhile. An `open` cancels the `finish`.
      return isClosing ? [{ ...silence, phase: 'listening' }, 'open', 'wait for quiet'] : [silence]
    case 'quiet':
      return phase === 'listening' ? finish(silence, context) : [silence]
    case 'finished':
      // `open()` by anyone cancels a `finish`.
      return phase === 'closing' ? [enter(silence, 'open', now), 'show', 'let pass'] : [silence]
    case 'changed':
      return isClosing && context.stream === 'closed' ? close(silence, now) : follow(silence, context)
    default:
      input satisfies never
      return [silence]
  }
}

/** For how long the stream was closed until now. */
export const closedMs = (silence: Silence, now: number): number =>
  silence.closedMs + (silence.closedAt === undefined ? 0 : now - silence.closedAt)

function enter(silence: Silence, phase: Silence['phase'], now: number): Silence {
  return {
    ...silence,
    phase,
    closedMs: closedMs(silence, now),
    closedAt: phase === 'closed' ? now : undefined,
  }
}

const open = (silence: Silence, now: number): SilenceOutcome =>
  silence.phase === 'open' ? [silence] : [enter(silence, 'open', now), 'show', 'open']

function finish(silence: Silence, { now, closeAfterMs }: SilenceContext): SilenceOutcome {
  const shortestMs = Math.max(SHORTEST_WAIT_MS, LAST_TEXT_MS - closeAfterMs)
  const finishMs = silence.isGrowing ? GROWING_TEXT_MS : shortestMs
  return [{ ...enter(silence, 'closing', now), finishMs }, 'show', 'finish']
}

/** Closes the stream if no session needs it. */
function review(silence: Silence, context: SilenceContext): SilenceOutcome {
  const { now, stream, isShared, isSilent } = context
  const isOn = ['connecting', 'open', 'reconnecting'].includes(stream)
  if (!isOn || isShared || !isSilent || now < silence.keepUntil) return [silence]
  const { falseAlarms, forMs } = KEPT_OPEN
  const isFalseAlarm = silence.hadText === false
  if (!isFalseAlarm || recentFalseAlarms(silence, now).length + 1 < falseAlarms)
    return finish(silence, context)
  // False alarms cost more than an open stream, so the last of too many keeps it open.
  return [{ ...silence, hadText: undefined, falseAlarmsAt: [], keepUntil: now + forMs }, 'report']
}

const recentFalseAlarms = ({ falseAlarmsAt }: Silence, now: number): readonly number[] =>
  falseAlarmsAt.filter((at) => now - at < FALSE_ALARMS_IN_MS)

function close(silence: Silence, now: number): SilenceOutcome {
  const { hadText } = silence
  const next = { ...enter(silence, 'closed', now), isWaiting: true, hadText: undefined }
  if (hadText === undefined) return [next, 'show']
  if (hadText) return [next, 'show', 'words']
  return [{ ...next, falseAlarmsAt: [...recentFalseAlarms(silence, now), now] }, 'show', 'no words']
}

/** The stream may be open again. */
function follow(silence: Silence, { now, stream }: SilenceContext): SilenceOutcome {
  if (stream === 'closed' || stream === 'idle') return [silence]
  const isWaiting = silence.isWaiting && stream === 'connecting'
  if (silence.phase === 'closed') return [{ ...enter(silence, 'open', now), isWaiting }, 'show', 'let pass']
  return isWaiting === silence.isWaiting ? [silence] : [{ ...silence, isWaiting }, 'show']
}

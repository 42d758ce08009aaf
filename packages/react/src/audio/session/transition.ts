import type { SessionParts } from './SessionParts.js'
import type { SessionState } from './state.js'

export type SessionInput =
  | 'start'
  | 'stop'
  | 'pause'
  | 'resume'
  /** The last texts after the last `stop` have come, or its `finish` was cancelled. */
  | 'settled'
  /** The user has changed, or the component has left. */
  | 'end'

/** What the runner does after a step, in this order. */
export type SessionEffect =
  | 'unlock playback'
  | 'start microphone'
  | 'stop microphone'
  | 'interrupt playback'
  /** Sends a second of silence. */
  | 'end sentence'
  | 'open'
  | 'close'
  /** Closes the stream after the last texts, and then steps `settled`. */
  | 'finish'

/** What a transition reads of the session as it was last rendered. */
export interface Rendered extends Pick<SessionParts, 'client' | 'status'> {
  readonly stream: Pick<SessionParts['stream'], 'status'>
  readonly microphone: Pick<SessionParts['microphone'], 'status' | 'suspended'>
}

/*
 * A session has two parts: the wish of its user, and with the option `silence` the phase of its stream, which
 * all sessions on the stream share.
 *
 *   wish    off, paused, stopping ─── start ────────────► on
 *           on ────────────────────── pause ────────────► paused
 *           paused ────────────────── resume ───────────► on
 *           off, on, paused ───────── stop ─────────────► stopping
 *           stopping ──────────────── settled ──────────► off
 *           on, paused, stopping ──── end ──────────────► off
 *
 *   stream  open ──────────────────── review ───────────► closing     if there is silence in all sessions
 *           closing, listening ────── speech, needed ───► open        the same connection goes on
 *           closing ───────────────── sound ────────────► listening   the service still speaks
 *           listening ─────────────── quiet ────────────► closing
 *           closing, listening ────── changed ──────────► closed      the last words have come
 *           closing ───────────────── finished ─────────► open        another component has opened it
 *           closed ────────────────── speech, needed ───► open
 *           closed ────────────────── changed ──────────► open        another component has opened it
 *
 * open       frames go to the stream or to its queue, whatever the stream does: it may be connecting,
 *            reconnecting or rolling over. After five false alarms in a minute it stays open for a minute.
 * closing    a `finish` of the stream: no frame is sent, and no text of the service is lost.
 * listening  the same, but no `finish` runs until the service is quiet for a second.
 * closed     no connection, nothing is paid. The session waits from here until the stream is connected again,
 *            and the queue of the stream takes the first words.
 *
 * A stream that has failed, or that another component has closed, is left alone. The second part ends with the
 * last session on the stream. Its rules are in `silence/silenceTransition.ts`, which other sessions do not load.
 */
export function transition(
  state: SessionState,
  input: SessionInput,
  { client, status, stream, microphone }: Rendered,
): readonly [SessionState, ...SessionEffect[]] {
  const { wish } = state
  switch (input) {
    case 'start': {
      // The microphone is on: it would lose sound, and the browser might ask the user again.
      const isOn = status === 'waiting' || status === 'paused'
      const isHeard = isOn && wish !== 'stopping' && !microphone.suspended
      const next = { ...state, wish: 'on', client } as const
      return isHeard
        ? [next, 'unlock playback', 'open']
        : [next, 'unlock playback', 'start microphone', 'open']
    }
    case 'stop': {
      if (wish === 'stopping') return [state, 'close']
      // Without a start it only closes what else was opened.
      const starter = wish === 'off' ? undefined : state.client
      const next = { ...state, wish: 'stopping', client: starter } as const
      // Nothing was said that could still be heard.
      if (stream.status === 'queued')
        return [next, 'stop microphone', 'interrupt playback', 'close', 'finish']
      return microphone.status === 'capturing'
        ? [next, 'stop microphone', 'interrupt playback', 'end sentence', 'finish']
        : [next, 'stop microphone', 'interrupt playback', 'finish']
    }
    case 'pause':
      return [wish === 'on' ? { ...state, wish: 'paused' } : state]
    case 'resume':
      return [wish === 'paused' ? { ...state, wish: 'on' } : state]
    case 'settled':
      return [wish === 'stopping' ? { ...state, wish: 'off' } : state]
    case 'end':
      return [{ ...state, wish: 'off' }]
    default:
      input satisfies never
      return [state]
  }
}

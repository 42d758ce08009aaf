import { mint, type StepContext } from '../machine/attempt.js'
import type { StreamInput } from '../machine/input.js'
import { fail } from '../machine/recover.js'
import { toVoiceError } from '../machine/refusal.js'
import { keepConnection } from '../machine/rollover.js'
import {
  attemptOf,
  isActive,
  NO_RETRIES,
  type RetryState,
  retriesOf,
  type StateOf,
  type StreamState,
} from '../machine/state.js'
import { transition } from '../machine/transition.js'
import type { VoiceError } from '../../errors/VoiceError.js'

interface LeaseView {
  readonly isLeased: () => boolean
  /** The handshake check has given the stream another place in the queue. */
  readonly isPlaced: () => boolean
  /** False if a second session, for a rollover, would be taken from others. */
  readonly hasRoom: () => boolean
}

/*
 * The transitions of a stream whose BFF shares the sessions, in addition to those of `machine/transition.ts`:
 *
 *   minting ── queued ──▶ minting, and queued ── queued, suspend ──▶ the same
 *                              │ minted                │ mint failed          │ close, release, end
 *                              ▼                       ▼                      ▼
 *                           opening              as without a queue     it leaves the queue
 *
 *   opening, with a lease ── refused without a reason, or full ──▶ checking   no token is wasted on a try
 *   checking ── checked: full, with another place in the queue ──▶ minting
 *   open ── renewed, but others wait ──▶ open, replaced at the expiry of its token
 *   open ── unanswered, but others wait ──▶ open, without a second connection
 *   session ended (from any active state) ──▶ failed
 *
 * Waiting is not failing: it forgets earlier failures, and no number of answers ends it.
 */
export function leasedTransition(lease: LeaseView) {
  return (state: StreamState, input: StreamInput, context: StepContext): StreamState => {
    const next = leased(state, input, context, lease) ?? transition(state, input, context)
    if (!('queue' in next) || next.attempt.step === 'minting') return next
    const { queue: _, ...opening } = next
    return opening
  }
}

/** The stream waits in the queue. */
export const isQueued = (state: StreamState): state is StateOf<'connecting'> => 'queue' in state

function leased(
  state: StreamState,
  input: StreamInput,
  context: StepContext,
  lease: LeaseView,
): StreamState | undefined {
  const attempt = attemptOf(state)
  switch (input.type) {
    case 'queued': {
      if (attempt?.generation !== input.generation || attempt.step !== 'minting') return state
      const retries = { ...NO_RETRIES, refusedGeneration: attempt.refusedGeneration }
      return { status: 'connecting', attempt, retries, queue: input.queue }
    }
    case 'session ended':
      return isActive(state) ? fail(retriesOf(state, context.now), input.error) : state
    case 'suspend':
      // It has no connection, and keeps its place.
      return isQueued(state) ? state : undefined
    case 'renewed': {
      const isSeamless = (context.settings.rollover ?? 'on-close') !== 'on-close'
      const isDue = state.status === 'open' && !state.retire && isSeamless
      return isDue && !lease.hasRoom() ? keepConnection(state, context) : undefined
    }
    case 'unanswered': {
      const isDue = state.status === 'open' && state.connection.generation === input.generation
      return isDue && !state.isAlone && !lease.hasRoom() ? { ...state, isAlone: true } : undefined
    }
    case 'lost': {
      const { generation, refusal, isEnd } = input
      if (attempt?.generation !== generation || attempt.step === 'minting') return undefined
      const isRefused = refusal ? isFull(refusal) : attempt.step === 'opening'
      const retries = retriesOf(state, context.now)
      if (!isRefused || isEnd || !lease.isLeased() || retries.checkError) return undefined
      if (state.status === 'rolling over') return undefined
      const error = toVoiceError(refusal, 'CONNECTION_REFUSED', input)
      const { token } = attempt
      const next = { step: 'checking' as const, generation: context.nextGeneration(), token }
      return {
        status: 'reconnecting',
        error,
        retries: { ...retries, refusedGeneration: token.generation },
        next,
      }
    }
    case 'checked': {
      const { error } = input
      if (state.status !== 'reconnecting' || state.next.step !== 'checking' || !error) return undefined
      if (state.next.generation !== input.generation) return undefined
      const { retries } = state
      if (isFull(error) && lease.isPlaced()) return again(retries, error, context)
      // No fresh token was tried yet.
      return error.code === 'unauthorized' && retries.refusals === 0 && !retries.isUnauthorized
        ? again({ ...retries, isUnauthorized: true }, error, context)
        : undefined
    }
    default:
      return undefined
  }
}

/** All sessions of the account are in use. */
const isFull = ({ code }: { code: string }): boolean => code === 'concurrency_limit_exceeded'

/** Asks for another token at once. */
function again(retries: RetryState, error: VoiceError, context: StepContext): StreamState {
  return { status: 'reconnecting', retries, error, next: mint(context, retries.refusedGeneration) }
}

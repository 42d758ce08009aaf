import type { LiveToken } from '../../token/TokenSource.js'
import { VoiceError } from '../../errors/VoiceError.js'
import { connection, mint, open, type StepContext } from './attempt.js'
import { DEADLINE_MS, seamlessSettings } from './settings.js'
import { type Handshake, retriesOf, type Standby, type StateOf, type StreamState } from './state.js'

/** How long messages of the old connection are still read after the switch. */
const DRAIN_MS = 2_000

/** A rollover ends at least this long before the old token expires. */
const MARGIN_MS = 1_000

/** Another token is available: opens the next socket with it. */
export function renewed(state: StreamState, token: LiveToken, context: StepContext): StreamState {
  const { rollover = 'on-close' } = context.settings
  if (state.status !== 'open' || state.retire || rollover === 'on-close') return state
  const { connection, retries } = state
  if (token.generation <= connection.token.generation || token.generation === retries.refusedGeneration) {
    return state
  }
  if (token.deadline <= context.now) return state
  const standby = open(context.nextGeneration(), token, context)
  return { status: 'rolling over', connection, retries, standby }
}

/** The standby is ready and waits for a safe moment. */
export function prepare(
  state: StateOf<'rolling over'>,
  { generation, token }: Handshake,
  { now, settings }: StepContext,
): StreamState {
  const { deadlineMs = DEADLINE_MS } = seamlessSettings(settings)
  const switchBy = Math.min(now + deadlineMs, state.connection.token.deadline - MARGIN_MS)
  return { ...state, standby: { step: 'ready', generation, token, readyAt: now, switchBy } }
}

/** A switch now would cut off no speech. */
export function safe(state: StreamState, context: StepContext): StreamState {
  if (state.status === 'rolling over' && state.standby.step === 'ready') {
    // Speech that is not final goes to the next connection, so the old one must not answer it too.
    return promote(state, state.standby, context, !context.isUnfinished)
  }
  return state.status === 'open' && state.retire?.seeking ? replace(state, 'rollover', context) : state
}

/**
 * The standby becomes the connection. If the old connection is still open, it is read for another `DRAIN_MS`.
 */
export function promote(
  state: StateOf<'rolling over'>,
  { generation, token }: Standby,
  context: StepContext,
  drains: boolean,
): StreamState {
  return {
    status: 'open',
    connection: connection(generation, token, context),
    retries: retriesOf(state, context.now),
    draining: drains ? { generation: state.connection.generation, until: context.now + DRAIN_MS } : undefined,
  }
}

/**
 * There is no second session: the connection stays until its token is about to expire, and is then
 * replaced. Meanwhile sends wait in the queue.
 */
export function keepConnection(
  { connection, retries }: StateOf<'open' | 'rolling over'>,
  { now, settings }: StepContext,
  refusedGeneration?: number,
): StreamState {
  const by = connection.token.deadline - MARGIN_MS
  const { deadlineMs = DEADLINE_MS } = seamlessSettings(settings)
  return {
    status: 'open',
    connection,
    retries: refusedGeneration === undefined ? retries : { ...retries, refusedGeneration },
    // A socket whose token has already expired may continue.
    retire: by > now ? { seeking: false, at: by - deadlineMs } : undefined,
  }
}

/**
 * The time of `retire.at` is reached: waits for a safe moment, or replaces the connection if there was none.
 */
export function retire(state: StateOf<'open'>, seeking: boolean, context: StepContext): StreamState {
  if (seeking) return replace(state, 'rollover', context)
  return { ...state, retire: { seeking: true, at: state.connection.token.deadline - MARGIN_MS } }
}

/** Replaces the connection at once. This does not count as a failure of the service. */
export function replace(
  state: StreamState,
  lostBy: 'sleep' | 'rollover' | 'away' | 'unanswered',
  context: StepContext,
): StreamState {
  const retries = retriesOf(state, context.now)
  return {
    status: 'reconnecting',
    retries,
    error: new VoiceError('CONNECTION_LOST', { lostBy }),
    next: mint(context, retries.refusedGeneration),
  }
}

import { open, type StepContext } from '../machine/attempt.js'
import type { StreamInput } from '../machine/input.js'
import { promote, replace } from '../machine/rollover.js'
import { retriesOf, type StateOf, type StreamState, type Trial } from '../machine/state.js'

type Transition = (state: StreamState, input: StreamInput, context: StepContext) => StreamState

/*
 * The transitions of a connection that leaves speech without an answer, in addition to those of
 * `machine/transition.ts`. Another connection is tried:
 *
 *   open ── unanswered ──▶ rolling over, as a trial ── the connection answers, or none in time ──▶ open
 *    │                        │       │        └── the standby answers ──▶ open, on the standby
 *    │                        │       └── the connection is lost ──▶ as in a rollover
 *    │                        └── a second session is refused ──▶ open, alone
 *    └── unanswered again, alone, and no answer between ──▶ reconnecting, at once
 */
export function trialTransition(
  state: StreamState,
  input: StreamInput,
  context: StepContext,
  base: Transition,
): StreamState {
  if (input.type === 'unanswered') {
    const next = base(state, input, context)
    return next === state ? doubt(state, input, context) : next
  }
  if (input.type === 'answered' && state.status === 'open')
    return state.connection.generation === input.generation ? { ...state, isAlone: undefined } : state
  if (state.status !== 'rolling over' || !state.trial) return base(state, input, context)
  const { connection, standby, trial } = state
  const { now } = context
  if (input.type === 'safe') return state
  if (input.type === 'answered') {
    if (input.generation === connection.generation) return endTrial(state, trial, context)
    const isStandby = standby.step === 'ready' && standby.generation === input.generation
    return isStandby ? promote(state, standby, context, false) : state
  }
  if (input.type === 'time' && standby.step === 'ready')
    return now < standby.switchBy ? state : endTrial(state, trial, context)
  const next = base(state, input, context)
  if (next.status === 'rolling over' && next.standby.step === 'ready' && standby.step !== 'ready')
    return { ...next, standby: { ...next.standby, switchBy: now + trial.limitMs } }
  const isKept = next.status === 'open' && next.connection.generation === connection.generation
  return isKept ? { ...endTrial(state, trial, context), retries: next.retries, isAlone: true } : next
}

/**
 * Tries another connection, because this one does not answer. If there can be none, this one has the time of
 * another doubt, which is twice as long, and is then replaced.
 */
function doubt(
  state: StreamState,
  { generation, token, limitMs }: Extract<StreamInput, { type: 'unanswered' }>,
  context: StepContext,
): StreamState {
  if (state.status !== 'open' || state.connection.generation !== generation) return state
  const { connection, retries } = state
  const isUsable = token && token.deadline > context.now && token.generation !== retries.refusedGeneration
  if (state.isAlone) return replace(state, 'unanswered', context)
  if (!isUsable) return { ...state, isAlone: true }
  const standby = open(context.nextGeneration(), token, context)
  return { status: 'rolling over', connection, retries, standby, trial: { open: state, limitMs } }
}

/** The connection goes on without the one that was tried. */
const endTrial = (state: StateOf<'rolling over'>, trial: Trial, { now }: StepContext): StateOf<'open'> => ({
  ...trial.open,
  draining: undefined,
  retries: retriesOf(state, now),
})

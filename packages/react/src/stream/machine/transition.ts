import { MAX_DELAY_MS, READY_TIMEOUT_MS } from './settings.js'
import type { SuspendReason } from '../../platform/platform.js'
import type { LiveToken } from '../../token/TokenSource.js'
import { VoiceError } from '../../errors/VoiceError.js'
import { connection, mint, open, type StepContext } from './attempt.js'
import type { LeaseInput, StreamInput } from './input.js'
import { checked, type Failure, recover } from './recover.js'
import { isAboutToken, toVoiceError } from './refusal.js'
import { keepConnection, prepare, promote, renewed, replace, retire, safe } from './rollover.js'
import {
  attemptOf,
  connectionOf,
  dueAt,
  isActive,
  type Handshake,
  NO_RETRIES,
  retriesOf,
  type StateOf,
  type StreamState,
} from './state.js'

/**
 * Shortest time between two attempts that `open` asks for after a failure: a page that opens at each failure
 * would otherwise be a loop of handshakes.
 */
const OPEN_GAP_MS = 1_000

/** For the person at the screen: another network does not help. */
const BLOCKED = {
  policy: 'This site blocks the connection. Ask the operator of this site to check it.',
  browser:
    'The browser blocks the connection. Turn its extensions off for this page, or try another browser.',
}

/** A soft wake, such as a focus, does not end a wait in its first second. */
const SOFT_WAKE_MS = 1_000

/*
 *                    open                     opened, and ready
 * ┌───────▶ idle ────────────▶ connecting ─────────────────────────▶ open ◀─────────────────┐
 * │                                │                                ▲ │ │ renewed           │ safe, timed out
 * │ release                        │ refused, lost, too slow        │ │ └────────▶ rolling over   refused
 * │ (from any)                     ▼                         opened │ │ lost, dead, unheard,│
 * │                          reconnecting ──────────────────────────┘ │ suspended           │ lost: standby
 * │                            │   ▲  ▲───────────────────────────────┘                     │ goes on
 * │                            │   └────────────────────────────────────────────────────────┘
 * │                            │     backoff ──▶ minting ──▶ opening ──▶ setup ──▶ (open)
 * │                            │        ▲           ▲           │ refused
 * │                            │        │           └───────────┤ the first time: a fresh token, at once
 * │                            │        └─────── checking ◀─────┘ the second time: the BFF tries it, once
 * │  close                     ▼
 * │  (from any) ──▶ closed   failed   a final code; refused again with a fresh token; too many in a row
 * │                   │        │
 * └───────────────────┴────────┴─── open ──▶ connecting
 *
 * open, within a second of one that followed a failure: reconnecting, with a backoff to the end of the second
 * open, while in backoff: minting, or a shorter backoff by the same rule
 * suspended in the background of a phone: only a wake in front, open, close, release or end ends the backoff
 * wake, while failed: connecting, if the login was refused, or if the error is retryable and the page was
 * certainly away
 * outdated: reconnecting, with the next connection at once
 * shouldReconnect returns false: failed
 * end (from any) ──▶ ended   the user has changed: the queue is dropped, and no input has an effect
 */
export function transition(state: StreamState, input: StreamInput, context: StepContext): StreamState {
  if (state.status === 'ended') return state
  switch (input.type) {
    case 'open':
      return opened(state, context)
    case 'close':
      return { status: 'closed' }
    case 'release':
      return { status: 'idle' }
    case 'end':
      return { status: 'ended', error: input.error }
    case 'minted':
      return minted(state, input.generation, input.token, context)
    case 'mint failed':
      return failNow(state, input, input.error, context)
    case 'blocked': {
      const message = BLOCKED[input.by]
      const error = new VoiceError('CONNECTION_REFUSED', { message, retryable: false, seen: input.seen })
      return failNow(state, input, error, context)
    }
    case 'opened':
    case 'ready':
      return advance(state, input, context)
    case 'lost':
      return lost(state, input, context)
    case 'checked':
    case 'check failed':
      return checked(state, input, context)
    case 'renewed':
      return renewed(state, input.token, context)
    case 'outdated':
      return isActive(state) ? replace(state, 'rollover', context) : state
    // Only a stream with `resend` or a lease has these (resend/trialTransition.ts).
    case 'unanswered':
    case 'answered':
      return state
    case 'safe':
      return safe(state, context)
    case 'time':
      return context.now < dueAt(state) ? state : due(state, context)
    case 'wake':
      return wake(state, input, context)
    case 'suspend':
      return isActive(state) ? suspend(state, input.reason, context) : state
    default:
      // Only a stream with a lease has these: `lease/leasedTransition.ts`.
      input satisfies LeaseInput
      return state
  }
}

/** Starts again. Only the token that was refused last is remembered. */
function connect(state: StreamState, context: StepContext, openedAt?: number): StreamState {
  const { refusedGeneration } = state.status === 'failed' ? state.retries : NO_RETRIES
  const retries = { ...NO_RETRIES, refusedGeneration, openedAt }
  return { status: 'connecting', attempt: mint(context, refusedGeneration), retries }
}

/** A consumer or the application wants the stream. After a failure it does not wait for a backoff. */
function opened(state: StreamState, context: StepContext): StreamState {
  const { now } = context
  const isFailed = state.status === 'failed'
  const isWaiting = state.status === 'reconnecting' && state.next.step === 'backoff'
  if (!isFailed && !isWaiting) return isActive(state) ? state : connect(state, context)
  const { error, retries } = state
  const until = Math.max(now, (retries.openedAt ?? -Infinity) + OPEN_GAP_MS)
  if (until >= dueAt(state)) return state
  if (isFailed && until === now) return connect(state, context, now)
  const next =
    until > now ? { step: 'backoff' as const, since: now, until } : mint(context, retries.refusedGeneration)
  return { status: 'reconnecting', error, retries: { ...retries, openedAt: until }, next }
}

function minted(state: StreamState, generation: number, token: LiveToken, context: StepContext): StreamState {
  const attempt = attemptOf(state)
  if (attempt?.generation !== generation || attempt.step !== 'minting') return state
  // The token may have expired during its request: the machine slept, or the network was slow.
  if (token.deadline <= context.now) {
    return failAttempt(state, { error: new VoiceError('TOKEN_EXPIRED') }, context)
  }
  return withAttempt(state, open(generation, token, context))
}

/** The same state, with the next step of its attempt. */
function withAttempt(state: StreamState, opening: Handshake): StreamState {
  switch (state.status) {
    case 'connecting':
      return { ...state, attempt: opening }
    case 'reconnecting':
      return { ...state, next: opening }
    case 'rolling over':
      return { ...state, standby: opening }
    default:
      return state
  }
}

function advance(
  state: StreamState,
  input: { type: 'opened' | 'ready'; generation: number },
  context: StepContext,
): StreamState {
  const attempt = attemptOf(state)
  const step = input.type === 'opened' ? 'opening' : 'setup'
  if (attempt?.generation !== input.generation || attempt.step === 'minting' || attempt.step !== step) {
    return state
  }
  const { setup } = context.settings
  if (step === 'setup' || !setup?.isReady) return arrive(state, attempt, context)
  const giveUpAt = context.now + (setup.readyTimeoutMs ?? READY_TIMEOUT_MS)
  return withAttempt(state, { ...attempt, step: 'setup', giveUpAt })
}

/** An open connection is not yet a success: the retry state is kept until the connection is stable. */
function arrive(state: StreamState, opening: Handshake, context: StepContext): StreamState {
  if (state.status === 'rolling over') return prepare(state, opening, context)
  return {
    status: 'open',
    connection: connection(opening.generation, opening.token, context),
    // What a check said before no longer holds.
    retries: { ...retriesOf(state, context.now), diagnosis: undefined, checkError: undefined },
  }
}

function failAttempt(state: StreamState, failure: Failure, context: StepContext): StreamState {
  return state.status === 'rolling over'
    ? keepConnection(state, context, failure.refused?.generation)
    : recover(retriesOf(state, context.now), failure, context)
}

/** The attempt failed, but not because of its token. */
function failNow(
  state: StreamState,
  { generation }: { generation: number },
  error: VoiceError,
  context: StepContext,
): StreamState {
  return attemptOf(state)?.generation === generation ? failAttempt(state, { error }, context) : state
}

type Lost = Extract<StreamInput, { type: 'lost' }>

function lost(state: StreamState, input: Lost, context: StepContext): StreamState {
  const { generation, refusal, isEnd } = input
  const attempt = attemptOf(state)
  if (attempt?.generation === generation && attempt.step !== 'minting') {
    const unopened = attempt.step === 'opening'
    const error = toVoiceError(refusal, unopened ? 'CONNECTION_REFUSED' : 'CONNECTION_LOST', input)
    // A browser shows a refused upgrade as a close without a reason. The reason may be the token.
    const refused = isAboutToken(refusal) || (unopened && !refusal) ? attempt.token : undefined
    return failAttempt(state, { error, refused, isEnd }, context)
  }
  if (connectionOf(state)?.generation === generation) {
    return loseConnection(state as StateOf<'open' | 'rolling over'>, input, context)
  }
  if (state.status === 'rolling over' && state.standby.generation === generation) {
    return keepConnection(state, context, isAboutToken(refusal) ? state.standby.token.generation : undefined)
  }
  if (state.status === 'open' && state.draining?.generation === generation) {
    return { ...state, draining: undefined }
  }
  return state
}

function loseConnection(
  state: StateOf<'open' | 'rolling over'>,
  input: Lost,
  context: StepContext,
): StreamState {
  const { refusal } = input
  const { token } = state.connection
  const lostBy = input.by ?? (token.deadline <= context.now ? 'expiry' : refusal ? 'refusal' : 'close')
  const error = toVoiceError(refusal, 'CONNECTION_LOST', { ...input, lostBy })
  const retries = retriesOf(state, context.now)
  if (state.status === 'rolling over' && error.retryable) {
    if (state.standby.step === 'ready') return promote(state, state.standby, context, false)
    return { status: 'reconnecting', retries, error, next: state.standby }
  }
  const refused = isAboutToken(refusal) ? token : undefined
  return recover(retries, { error, refused, isEnd: input.isEnd }, context)
}

function due(state: StreamState, context: StepContext): StreamState {
  if (attemptOf(state)) return failAttempt(state, { error: new VoiceError('CONNECT_TIMEOUT') }, context)
  if (state.status === 'rolling over') return safe(state, context)
  if (state.status === 'reconnecting') {
    return { ...state, next: mint(context, state.retries.refusedGeneration) }
  }
  if (state.status !== 'open') return state
  if (state.retire && context.now >= state.retire.at) return retire(state, state.retire.seeking, context)
  const { draining } = state
  return {
    ...state,
    retries: retriesOf(state, context.now),
    draining: draining && context.now < draining.until ? draining : undefined,
  }
}

function wake(
  state: StreamState,
  { urgent, slept, isBack, unheard }: Extract<StreamInput, { type: 'wake' }>,
  context: StepContext,
): StreamState {
  // A connection from before a sleep is lost, even if the browser does not know it.
  const attempt = attemptOf(state)
  const used = connectionOf(state) ?? (attempt && attempt.step !== 'minting' ? attempt : undefined)
  if (slept && used) return replace(state, 'sleep', context)
  if (unheard !== undefined && used?.generation === unheard) return replace(state, 'away', context)
  if (state.status === 'failed' && (state.error.retryable ? urgent : state.error.code === 'UNAUTHENTICATED'))
    return connect(state, context)
  if (state.status !== 'reconnecting' || state.next.step !== 'backoff') return state
  if (state.next.until === Infinity && !isBack) return state
  if (urgent) return { ...state, next: mint(context, state.retries.refusedGeneration) }
  const until = Math.min(state.next.until, Math.max(context.now, state.next.since + SOFT_WAKE_MS))
  return { ...state, next: { ...state.next, until } }
}

/**
 * Data waits in the queue, because a frozen page can neither read nor send. If the event was wrong, an
 * attempt follows after the longest wait. A phone in the background may go on, so it makes no attempt.
 */
function suspend(
  state: StreamState,
  reason: SuspendReason | undefined,
  { now, settings }: StepContext,
): StreamState {
  const { maxDelayMs = MAX_DELAY_MS } = settings.reconnect ?? {}
  return {
    status: 'reconnecting',
    retries: retriesOf(state, now),
    error: new VoiceError('CONNECTION_LOST', { lostBy: 'away' }),
    next: { step: 'backoff', since: now, until: reason === 'background' ? Infinity : now + maxDelayMs },
  }
}

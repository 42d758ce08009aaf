import type { Refusal } from '@stagepass/contract'
import { VoiceError } from '../../VoiceError.js'
import type { LiveToken } from '../../token/TokenSource.js'
import type { Failure, World } from './recover.js'
import { asFinal, fail, mint, recover, wait } from './recover.js'
import { errorOf, isAboutToken } from './refusal.js'
import type { SeamlessRollover } from './settings.js'
import type { StreamInput } from './input.js'
import type { Link, Opening, Standby, StateOf, StreamState, Tries } from './state.js'
import { dueAt, forgive, isActive, linkOf, NO_TRIES, trialOf } from './state.js'

/** A soft wake, such as a focus, hastens no try that began less than this ago. */
const SOFT_WAKE_MS = 1_000

/** A rollover is done so long before the old token's end. */
const MARGIN_MS = 1_000

/*
 *                      open                     opened, and ready
 *   ┌───────▶ idle ────────────▶ connecting ─────────────────────────▶ open ◀─────────────────┐
 *   │                                │                                ▲ │ │ renewed           │ safe, out of time,
 *   │ release                        │ refused, lost, too slow        │ │ └────────▶ rolling over   standby refused
 *   │ (from any)                     ▼                         opened │ │ lost, dead,         │
 *   │                          reconnecting ──────────────────────────┘ │ suspended           │ lost: the standby
 *   │                            │   ▲  ▲───────────────────────────────┘                     │ goes on
 *   │                            │   └────────────────────────────────────────────────────────┘
 *   │                            │     waiting ──▶ minting ──▶ opening ──▶ greeting ──▶ (open)
 *   │                            │        ▲           ▲           │ refused
 *   │                            │        │           └───────────┤ the first time: a fresh token, at once
 *   │                            │        └─────── checking ◀─────┘ the second time: the BFF looks, once
 *   │  close                     ▼
 *   │  (from any) ──▶ closed   failed   a final code; refused again with a fresh token; too often in a row
 *   │                   │        │
 *   └───────────────────┴────────┴─── open ──▶ connecting
 */
export function transition(state: StreamState, input: StreamInput, world: World): StreamState {
  switch (input.type) {
    case 'open':
      return isActive(state) ? state : connect(state, world)
    case 'close':
      return { status: 'closed' }
    case 'release':
      return { status: 'idle' }
    case 'minted':
      return minted(state, input.id, input.token, world)
    case 'mint failed':
      return trialOf(state)?.id === input.id ? failTrial(state, { error: input.error }, world) : state
    case 'opened':
    case 'ready':
      return advance(state, input, world)
    case 'lost':
      return lost(state, input.id, input.refusal, world)
    case 'checked':
    case 'check failed':
      return checked(state, input, world)
    case 'renewed':
      return renewed(state, input.token, world)
    case 'safe':
      return safe(state, world)
    case 'time':
      return world.now < dueAt(state) ? state : due(state, world)
    case 'wake':
      return wake(state, input, world)
    case 'suspend':
      return isActive(state) ? suspend(state, world) : state
    default:
      return input satisfies never
  }
}

/** Begins anew, with nothing behind but the token that was refused last. */
function connect(state: StreamState, world: World): StreamState {
  return { status: 'connecting', trial: mint(world, state.status === 'failed' ? state.not : undefined) }
}

const CONNECTION_LOST = (): VoiceError => new VoiceError('CONNECTION_LOST')

/** The tries behind a state, forgotten once its link was stable. */
function triesOf(state: StreamState, now: number): Tries {
  if (!('tries' in state)) return NO_TRIES
  return 'link' in state && now >= state.link.stableAt ? forgive(state.tries) : state.tries
}

function minted(state: StreamState, id: number, token: LiveToken, world: World): StreamState {
  const trial = trialOf(state)
  if (trial?.id !== id || trial.step !== 'minting') return state
  // It may have died on the way here: in a sleep, or behind a slow network.
  if (token.deadline <= world.now) return failTrial(state, { error: new VoiceError('TOKEN_EXPIRED') }, world)
  const opening = open(id, token, world)
  if (state.status === 'connecting') return { ...state, trial: opening }
  return state.status === 'reconnecting' ? { ...state, next: opening } : state
}

function open(id: number, token: LiveToken, { now, settings }: World): Opening {
  return { step: 'opening', id, token, giveUpAt: now + (settings.connectTimeoutMs ?? 10_000) }
}

function advance(
  state: StreamState,
  input: { type: 'opened' | 'ready'; id: number },
  world: World,
): StreamState {
  const trial = trialOf(state)
  const step = input.type === 'opened' ? 'opening' : 'greeting'
  if (trial?.id !== input.id || trial.step === 'minting' || trial.step !== step) return state
  const { greeting } = world.settings
  if (step === 'greeting' || !greeting?.isReady) return arrive(state, trial, world)
  const greets: Opening = {
    ...trial,
    step: 'greeting',
    giveUpAt: world.now + (greeting.readyTimeoutMs ?? 20_000),
  }
  switch (state.status) {
    case 'connecting':
      return { ...state, trial: greets }
    case 'reconnecting':
      return { ...state, next: greets }
    case 'rolling over':
      return { ...state, standby: greets }
    default:
      return state
  }
}

/** A connection is complete. That it opened proves nothing yet: what lies behind is kept until it has been stable. */
function arrive(state: StreamState, { id, token }: Opening, world: World): StreamState {
  if (state.status !== 'rolling over') {
    return { status: 'open', link: link(id, token, world), tries: triesOf(state, world.now) }
  }
  const { deadlineMs = 10_000 } = seamless(world)
  const switchBy = Math.min(world.now + deadlineMs, state.link.token.deadline - MARGIN_MS)
  return { ...state, standby: { step: 'ready', id, token, readyAt: world.now, switchBy } }
}

function link(id: number, token: LiveToken, { now, settings }: World): Link {
  return { id, token, stableAt: now + (settings.reconnect?.stableMs ?? 10_000) }
}

function seamless({ settings: { rollover } }: World): SeamlessRollover {
  return typeof rollover === 'object' ? rollover : {}
}

/** The try under way came to nothing. */
function failTrial(state: StreamState, failure: Failure, world: World): StreamState {
  return state.status === 'rolling over'
    ? keepLink(state, world, failure.refused?.generation)
    : recover(triesOf(state, world.now), failure, world)
}

/** No second session to be had: the link stays untouched until its token is nearly out, and is then replaced by way of the queue. */
function keepLink({ link, tries }: StateOf<'rolling over'>, world: World, not?: number): StreamState {
  const by = link.token.deadline - MARGIN_MS
  const { deadlineMs = 10_000 } = seamless(world)
  // A socket that outlives its token may go on doing so.
  const retire = by > world.now ? { seeking: false, at: by - deadlineMs } : undefined
  return { status: 'open', link, tries: not === undefined ? tries : { ...tries, not }, retire }
}

function lost(state: StreamState, id: number, refusal: Refusal | undefined, world: World): StreamState {
  const trial = trialOf(state)
  if (trial?.id === id && trial.step !== 'minting') {
    const unopened = trial.step === 'opening'
    const error = errorOf(refusal, unopened ? 'CONNECTION_REFUSED' : 'CONNECTION_LOST')
    // A browser shows a refused upgrade as a close without a reason: it may be about the token.
    const refused = isAboutToken(refusal) || (unopened && !refusal) ? trial.token : undefined
    return failTrial(state, { error, refused }, world)
  }
  if (linkOf(state)?.id === id) return loseLink(state as StateOf<'open' | 'rolling over'>, refusal, world)
  if (state.status === 'rolling over' && state.standby.id === id) {
    return keepLink(state, world, isAboutToken(refusal) ? state.standby.token.generation : undefined)
  }
  if (state.status === 'open' && state.draining?.id === id) return { ...state, draining: undefined }
  return state
}

function loseLink(
  state: StateOf<'open' | 'rolling over'>,
  refusal: Refusal | undefined,
  world: World,
): StreamState {
  const error = errorOf(refusal, 'CONNECTION_LOST')
  const tries = triesOf(state, world.now)
  if (state.status === 'rolling over' && error.retryable) {
    if (state.standby.step === 'ready') return promote(state, state.standby, world, false)
    return { status: 'reconnecting', tries, error, next: state.standby }
  }
  return recover(tries, { error, refused: isAboutToken(refusal) ? state.link.token : undefined }, world)
}

/** The standby takes over; the old connection is heard out, if it still lives. */
function promote(
  state: StateOf<'rolling over'>,
  { id, token }: Standby,
  world: World,
  drains: boolean,
): StreamState {
  const { drainMs = 2_000 } = seamless(world)
  return {
    status: 'open',
    link: link(id, token, world),
    tries: triesOf(state, world.now),
    draining: drains ? { id: state.link.id, until: world.now + drainMs } : undefined,
  }
}

function checked(
  state: StreamState,
  input: { type: 'checked' | 'check failed'; id: number; error?: VoiceError | undefined },
  world: World,
): StreamState {
  if (state.status !== 'reconnecting' || state.next.step !== 'checking' || state.next.id !== input.id)
    return state
  const { error = state.error } = input
  // A fresh token has been tried: `unauthorized` is final now.
  if (!error.retryable || error.code === 'unauthorized') return fail(state.tries, asFinal(error))
  const diagnosis = input.type === 'checked' ? error : undefined
  return wait({ ...state.tries, diagnosis }, error, world)
}

function renewed(state: StreamState, token: LiveToken, world: World): StreamState {
  const { rollover = 'on-close' } = world.settings
  if (state.status !== 'open' || state.retire || rollover === 'on-close') return state
  const { link, tries } = state
  if (token.generation <= link.token.generation || token.generation === tries.not) return state
  if (token.deadline <= world.now) return state
  return { status: 'rolling over', link, tries, standby: open(world.nextId(), token, world) }
}

function safe(state: StreamState, world: World): StreamState {
  if (state.status === 'rolling over' && state.standby.step === 'ready') {
    return promote(state, state.standby, world, true)
  }
  return state.status === 'open' && state.retire?.seeking ? replace(state, world) : state
}

/** The link is given up for a new connection, at once and through no fault of the service. */
function replace(state: StreamState, world: World): StreamState {
  const tries = triesOf(state, world.now)
  return { status: 'reconnecting', tries, error: CONNECTION_LOST(), next: mint(world, tries.not) }
}

function due(state: StreamState, world: World): StreamState {
  if (trialOf(state)) return failTrial(state, { error: new VoiceError('CONNECT_TIMEOUT') }, world)
  if (state.status === 'rolling over') return safe(state, world)
  if (state.status === 'reconnecting') return { ...state, next: mint(world, state.tries.not) }
  if (state.status !== 'open') return state
  const { retire, draining, link } = state
  if (retire && world.now >= retire.at) {
    if (retire.seeking) return replace(state, world)
    return { ...state, retire: { ...retire, seeking: true, at: link.token.deadline - MARGIN_MS } }
  }
  return {
    ...state,
    tries: triesOf(state, world.now),
    draining: draining && world.now < draining.until ? draining : undefined,
  }
}

function wake(
  state: StreamState,
  { urgent, slept }: { urgent: boolean; slept: boolean },
  world: World,
): StreamState {
  // What was connected before a sleep is dead, whether the browser knows it or not.
  const trial = trialOf(state)
  if (slept && (linkOf(state) || (trial && trial.step !== 'minting'))) return replace(state, world)
  if (state.status === 'failed' && urgent && state.error.retryable) return connect(state, world)
  if (state.status !== 'reconnecting' || state.next.step !== 'waiting') return state
  if (urgent) return { ...state, next: mint(world, state.tries.not) }
  const until = Math.min(state.next.until, Math.max(world.now, state.next.since + SOFT_WAKE_MS))
  return { ...state, next: { ...state.next, until } }
}

/** Nothing is written to a socket that may be dead: the queue holds it. A slow try goes on, for the news may be wrong. */
function suspend(state: StreamState, world: World): StreamState {
  const { maxDelayMs = 30_000 } = world.settings.reconnect ?? {}
  return {
    status: 'reconnecting',
    tries: triesOf(state, world.now),
    error: CONNECTION_LOST(),
    next: { step: 'waiting', since: world.now, until: world.now + maxDelayMs },
  }
}

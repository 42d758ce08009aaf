import { DEFAULT_TTL_MINUTES } from '@stagepass/contract'
import type { EventBody, TokenEvent } from '../events/events.js'
import { backoffMs } from '../platform/backoff.js'
import { isVoiceError, VoiceError } from '../errors/VoiceError.js'
import type { Minted } from './createMint.js'
import { RENEWAL_GAP_MS, renewalLeadMs, withinLifeMs } from './renewal.js'
import {
  type Caller,
  endWith,
  FAILED,
  hasWaiters,
  IDLE,
  isNeeded,
  nextAttemptAt,
  type RequestInFlight,
  shortestTtl,
  type SourceState,
  START,
} from './state.js'
import type { LiveToken } from './TokenSource.js'

interface TokenContext {
  readonly now: number
  readonly callers: readonly Caller[]
  /** Uniform in [0, 1). */
  readonly random: number
  readonly usage: {
    /** True if streams have used this token and none does any longer. */
    readonly isOver: (held: LiveToken) => boolean
  }
}

/**
 * The new state, and what it does not say: the event to emit, and the result of the attempt, for all callers
 * that wait. From the state itself the runner sees the request to send or to abort, the token to report or to
 * wipe, and the time of the next tick.
 */
interface Outcome {
  readonly state: SourceState
  readonly event?: EventBody<TokenEvent> | undefined
  readonly result?: LiveToken | VoiceError
}

/**
 * Something that happens to a source. A pure function: an input that was data would need a name and a case,
 * and every page would load them.
 */
export type Transition = (state: SourceState, context: TokenContext) => Outcome

/** Shortest time between two attempts that do not wait for their backoff. */
const GAP_MS = 1_000

/*
 * A source has two independent parts, the current token and the request for the next one.
 *
 *   token    none ──── answered, a token ──► held ──── tick, at its deadline ──► none
 *                                            held ──── answered, a token ──────► held, the next one
 *            held or none ──── left ───────► none, and no request until `back`
 *            held or none ──── ended ──────► none, forever: the runner calls no further transition
 *
 *   request  idle        ──── tick, if needed and due ─────► requesting
 *            requesting  ──── answered, a token ───────────► idle
 *            requesting  ──── answered, a retryable error ─► backoff
 *            requesting  ──── answered, a final error ─────► failed
 *            backoff     ──── tick, at its time ───────────► requesting
 *            backoff     ──── called, back online ─────────► backoff to the end of the gap
 *            failed      ──── tick, if a caller waits ─────► requesting, or backoff to the end of the gap
 *            failed by UNAUTHENTICATED ──── back ──────────► backoff to the end of the gap
 *            any         ──── answered with a place in the queue, hold ─► failed without an error, no token
 *            requesting, backoff, failed ──── tick, if not needed ──► idle
 *
 * The token is needed if a caller waits in `get` or `renew`, or if the source is retained and there is no
 * token, or its renewal is due, or a shorter TTL is requested. While there is a token, a failed request only
 * sets the error.
 *
 * Only `tick` starts a request. It decides from the clock and the callers, so a late tick only causes a
 * delay.
 *
 * After a failure a call may begin an attempt at once, but only one in `GAP_MS`: a page that calls at each
 * error would otherwise be a loop of requests. The gap may be over already.
 */

/**
 * Time has passed, or a caller has come or left. Drops a token that has expired or is no longer used. Starts,
 * retries or cancels the request.
 */
export const tick: Transition = (state, context) => {
  const { held, generation } = state
  const isExpired = held && context.now >= held.deadline
  // If no stream uses the token any longer, it is dropped, so that its time is reported.
  const isOver = held && !isNeeded(state, context.callers) && context.usage.isOver(held)
  return {
    state: follow(isExpired || isOver ? { ...state, held: undefined } : state, context),
    event: isExpired ? { type: 'token.expired', generation } : undefined,
  }
}

/** A caller wants a token now, whether the next attempt waits or not. */
export const called: Transition = (state) => ({ state: endBackoff(state) })

/** The page is left. */
export const left: Transition = ({ generation }) => ({ state: { ...START, status: 'away', generation } })

/** The page is at the front, or another request has succeeded. */
export const back =
  (isOnline: boolean): Transition =>
  (state) => {
    if (state.status === 'away') return { state: { ...state, status: 'here' } }
    // A login that was refused may be a new one.
    const isRefused = state.request.status === 'failed' && state.failure?.code === 'UNAUTHENTICATED'
    if (isRefused) return { state: hurry(state) }
    return { state: isOnline ? endBackoff(state) : state }
  }

/** The identity has ended. Waits end with `reason`. `error`: the BFF ended it, and it is shown. */
export const ended =
  (error: VoiceError | null, reason: VoiceError): Transition =>
  () => ({ state: endWith(error), result: reason })

/** A stream waits in the queue: its token is given back, and none is requested until a caller waits for one. */
export const hold = (state: SourceState): Outcome => ({
  state: { ...state, held: undefined, request: FAILED, failure: null },
})

/** The request has succeeded or failed. */
export const answered =
  (request: RequestInFlight, answer: Minted | VoiceError): Transition =>
  (state, context) => {
    // The request was cancelled.
    if (state.request !== request) return { state }
    return isVoiceError(answer)
      ? failed(state, request, answer, context)
      : minted(state, request, answer, context)
  }

/** Starts, retries or cancels the request. */
function follow(state: SourceState, { now, callers }: TokenContext): SourceState {
  if (!isNeeded(state, callers)) return { ...state, request: IDLE }
  const { failure, hurriedAt } = state
  const { status } = state.request
  const isTooSoon = status === 'idle' && failure && now < hurriedAt + GAP_MS
  // After a final failure a new request needs a call of `get` or `renew`, unless the last caller has left.
  const isCalled = status === 'failed' && hasWaiters(callers)
  const next = isTooSoon || isCalled ? hurry(state) : state
  if (now < nextAttemptAt(next, callers)) return next
  const { request } = next
  const isRetry = request.status === 'backoff'
  return {
    ...next,
    hurriedAt: (isRetry ? request.isHurried : failure) ? now : hurriedAt,
    request: {
      status: 'requesting',
      attempt: request.attempt,
      retryAt: Infinity,
      startedAt: now,
      ttlMinutes: shortestTtl(callers),
      error: isRetry ? failure : null,
    },
  }
}

function minted(state: SourceState, request: RequestInFlight, token: Minted, context: TokenContext): Outcome {
  const { now } = context
  const isRenewal = state.nextRenewalAt > -Infinity
  const { startedAt, ttlMinutes } = request
  const { deadline } = token
  // It has expired during its request: the machine slept, or the network was slow.
  if (now >= deadline) return failed(state, request, new VoiceError('TOKEN_EXPIRED'), context)
  const generation = state.generation + 1
  const held: LiveToken = {
    generation,
    ...token,
    renewAt: deadline - renewalLeadMs(deadline - startedAt, context.random),
    ttlMinutes: ttlMinutes ?? DEFAULT_TTL_MINUTES,
  }
  return {
    state: {
      ...state,
      held,
      request: IDLE,
      generation,
      nextRenewalAt: isRenewal ? now + RENEWAL_GAP_MS : 0,
      retryAfterUntil: 0,
      failure: null,
    },
    event: {
      type: isRenewal ? 'token.renewed' : 'token.minted',
      generation,
      expiresInMs: deadline - now,
      tookMs: now - startedAt,
      reqId: held.token.reqId,
    },
    result: held,
  }
}

function failed(
  state: SourceState,
  { attempt }: RequestInFlight,
  error: VoiceError,
  { now, random }: TokenContext,
): Outcome {
  if ('offer' in error) return { ...hold(state), result: error }
  const { deadline } = state.held ?? {}
  const { code, reqId, retryAfterMs = 0 } = error
  const held = deadline !== undefined
  const failure = { ...state, failure: error, request: FAILED }
  if (!error.retryable)
    return { state: failure, event: { type: 'token.failed', code, reqId, held }, result: error }
  const backOffMs = backoffMs(attempt, random)
  const delayMs = held ? withinLifeMs(backOffMs, deadline - now) : backOffMs
  const retryInMs = Math.max(delayMs, retryAfterMs)
  const retryAt = now + retryInMs
  return {
    state: {
      ...failure,
      retryAfterUntil: now + retryAfterMs,
      request: { status: 'backoff', attempt: attempt + 1, retryAt, isHurried: false },
    },
    event: { type: 'token.retrying', code, attempt, retryInMs, held },
    result: error,
  }
}

/** Ends a backoff, but not a Retry-After, and not the gap after another call. */
function endBackoff(state: SourceState): SourceState {
  const { request, hurriedAt } = state
  return request.status === 'backoff' && hurriedAt + GAP_MS < request.retryAt ? hurry(state) : state
}

/** Makes the wait after a failure as short as it may be. */
function hurry(state: SourceState): SourceState {
  const { attempt } = state.request
  return {
    ...state,
    request: { status: 'backoff', attempt, retryAt: state.hurriedAt + GAP_MS, isHurried: true },
  }
}

import type { VoiceError } from '../errors/VoiceError.js'
import type { LiveToken, TokenOptions } from './TokenSource.js'

/** The request for the next token. */
export type TokenRequest = {
  /** Number of failures before it. */
  readonly attempt: number
  /** No attempt starts before this time. */
  readonly retryAt: number
} & (
  | { readonly status: 'idle' | 'failed' }
  | {
      readonly status: 'requesting'
      readonly startedAt: number
      readonly ttlMinutes: number | undefined
      /** The error of the previous attempt, shown until this one ends. */
      readonly error: VoiceError | null
    }
  | {
      readonly status: 'backoff'
      /** The wait was made shorter. */
      readonly isHurried: boolean
    }
)

/** A request that is in flight. */
export type RequestInFlight = Extract<TokenRequest, { status: 'requesting' }>

/** The state of a source: its current token, and the request for the next one. */
export interface SourceState {
  /** `away`: the page was left, and may come back for another user. `ended`: the user has changed. */
  readonly status: 'here' | 'away' | 'ended'
  readonly held: LiveToken | undefined
  readonly request: TokenRequest
  /** Number of the last token. */
  readonly generation: number
  /**
   * No renewal starts earlier, except one after a refusal. `-Infinity`: the user has no token that the next
   * one would replace.
   */
  readonly nextRenewalAt: number
  /** No attempt starts before this time, because of a Retry-After. */
  readonly retryAfterUntil: number
  /** Why the last attempt failed, also after its end. */
  readonly failure: VoiceError | null
  /** When the last attempt began that did not wait for its backoff. */
  readonly hurriedAt: number
}

/** A component or stream that retains the source, or a call of `get` or `renew` that waits. */
export interface Caller extends TokenOptions {
  /** Ends its wait. Set if it waits. */
  readonly end?: (result: LiveToken | VoiceError) => void
  /** The generation that a waiting caller does not accept. */
  readonly notGeneration?: number | undefined
  /** Header of the request for a token. With `lease=1` it asks for a session too. */
  readonly accept?: string | undefined
  /** A socket was refused with the current token. */
  readonly isRefused?: boolean
}

export const IDLE: TokenRequest = { status: 'idle', attempt: 0, retryAt: 0 }

export const FAILED: TokenRequest = { status: 'failed', attempt: 0, retryAt: Infinity }

export const START: SourceState = {
  status: 'here',
  held: undefined,
  request: IDLE,
  generation: 0,
  nextRenewalAt: -Infinity,
  retryAfterUntil: 0,
  failure: null,
  hurriedAt: -Infinity,
}

/** The state after the end of an identity. `error` is shown. */
export function endWith(error: VoiceError | null): SourceState {
  return { ...START, status: 'ended', failure: error, request: error ? FAILED : IDLE }
}

export function isNeeded({ status }: SourceState, callers: readonly Caller[]): boolean {
  return status === 'here' && callers.length > 0
}

export function hasWaiters(callers: readonly Caller[]): boolean {
  return callers.some(({ end }) => end !== undefined)
}

/** The shortest TTL that a caller requests; `undefined` if none requests one. */
export function shortestTtl(callers: readonly Caller[]): number | undefined {
  const ttls = callers.flatMap(({ ttlMinutes }) => ttlMinutes ?? [])
  return ttls.length > 0 ? Math.min(...ttls) : undefined
}

/** When the next attempt starts; `Infinity` if none starts by itself. */
export function nextAttemptAt(state: SourceState, callers: readonly Caller[]): number {
  const { held, request } = state
  if (!isNeeded(state, callers)) return Infinity
  const earliest = Math.max(request.retryAt, state.retryAfterUntil)
  // The gap between renewals does not delay a stream.
  if (callers.some(({ isRefused }) => isRefused)) return earliest
  const wantsShorter = held && (shortestTtl(callers) ?? Infinity) < held.ttlMinutes
  // Also while the browser says that it is offline, because it may be wrong. Failures slow the requests down.
  const dueAt = !held || hasWaiters(callers) || wantsShorter ? 0 : held.renewAt
  return Math.max(dueAt, state.nextRenewalAt, earliest)
}

/** True after a failure, until the next attempt. */
export function hasFailed({ request }: SourceState): boolean {
  return request.status === 'backoff' || request.status === 'failed'
}

/** Why there is no next token yet; null if there is nothing to report. */
export function errorOf(state: SourceState): VoiceError | null {
  if (hasFailed(state)) return state.failure
  return state.request.status === 'requesting' ? state.request.error : null
}

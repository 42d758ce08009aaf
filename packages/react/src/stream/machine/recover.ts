import { backoffMs } from '../../platform/backoff.js'
import { MAX_ATTEMPTS, MAX_DELAY_MS, MIN_DELAY_MS } from './settings.js'
import type { LiveToken } from '../../token/TokenSource.js'
import { VoiceError } from '../../errors/VoiceError.js'
import { mint, type StepContext } from './attempt.js'
import { NO_RETRIES, type RetryState, type StreamState } from './state.js'

/** Why there is no connection. */
export interface Failure {
  readonly error: VoiceError
  /**
   * The token of a handshake that was refused as unauthorized, or without a known reason. A fresh token may
   * be accepted.
   */
  readonly refused?: LiveToken | undefined
  /** `shouldReconnect` has returned false. */
  readonly isEnd?: boolean | undefined
}

/**
 * The state after a failure. A final code ends the stream. After a refusal one fresh token is tried at once.
 * After the second refusal without a reason the BFF tries the handshake, once; the second `unauthorized` is
 * final. The two kinds are counted separately, because they may have different causes. Every other failure is
 * retried after a random wait, and ends the stream after too many failures in a row.
 */
export function recover(
  before: RetryState,
  { error, refused, isEnd }: Failure,
  context: StepContext,
): StreamState {
  const isUnauthorized = refused !== undefined && error.code === 'unauthorized'
  const retries: RetryState = {
    ...before,
    // While the browser is offline, a failure says nothing about the service.
    failures: before.failures + (context.online ? 1 : 0),
    offlineFailures: (before.offlineFailures ?? 0) + (context.online ? 0 : 1),
    refusals: before.refusals + (refused && !isUnauthorized ? 1 : 0),
    isUnauthorized: before.isUnauthorized || isUnauthorized,
    // A connection that ends at its expiry may have an older token than a standby that was refused before.
    refusedGeneration: refused
      ? Math.max(refused.generation, before.refusedGeneration ?? 0)
      : before.refusedGeneration,
  }
  if (!error.retryable) return fail(retries, error)
  if (isEnd) return fail(retries, asFinal(error, 'The connection was closed.'))
  if (refused && (isUnauthorized ? !before.isUnauthorized : retries.refusals === 1)) {
    return { status: 'reconnecting', retries, error, next: mint(context, retries.refusedGeneration) }
  }
  if (isUnauthorized) return fail(retries, asFinal(error))
  // A refusal without a reason says less than the last check.
  const reason = (refused && retries.checkError) ?? error
  if (refused && !retries.diagnosis) {
    const next = { step: 'checking' as const, generation: context.nextGeneration(), token: refused }
    return { status: 'reconnecting', retries, error: reason, next }
  }
  return wait(retries, reason, context)
}

/** The state after the BFF has tried the handshake. */
export function checked(
  state: StreamState,
  input: { type: 'checked' | 'check failed'; generation: number; error?: VoiceError | undefined },
  context: StepContext,
): StreamState {
  if (state.status !== 'reconnecting' || state.next.step !== 'checking') return state
  if (state.next.generation !== input.generation) return state
  const { error = accepted(state.error) } = input
  // A fresh token has been tried: `unauthorized` is final now.
  if (!error.retryable || error.code === 'unauthorized') return fail(state.retries, asFinal(error))
  const diagnosis = input.type === 'checked' ? error : undefined
  return wait({ ...state.retries, diagnosis, checkError: error }, error, context)
}

/** The service accepted the same handshake from the BFF, so something on the side of the page blocks it. */
function accepted(error: VoiceError): VoiceError {
  return error.code === 'CONNECTION_REFUSED'
    ? new VoiceError('CONNECTION_REFUSED', { seen: { cause: 'accepted' } })
    : error
}

/** Speech that is not final waits at most this long for the next attempt. */
const UNFINISHED_DELAY_MS = 5_000

/**
 * Waits before the next attempt. After too many failures in a row the stream fails. While speech is kept that is
 * not final, only what the service or the BFF has answered counts.
 */
function wait(retries: RetryState, error: VoiceError, context: StepContext): StreamState {
  const {
    minDelayMs = MIN_DELAY_MS,
    maxDelayMs = MAX_DELAY_MS,
    maxAttempts = MAX_ATTEMPTS,
  } = context.settings.reconnect ?? {}
  const { isUnfinished } = context
  const isOver = retries.failures > maxAttempts && !(isUnfinished && error.status === undefined)
  if (isOver) return fail(retries, error)
  // The browser may be wrong when it says that it is offline, so attempts go on at the same pace.
  const failuresInARow = retries.failures + (retries.offlineFailures ?? 0)
  const most = isUnfinished ? Math.min(maxDelayMs, UNFINISHED_DELAY_MS) : maxDelayMs
  const delay = backoffMs(failuresInARow - 1, context.random(), { minDelayMs, maxDelayMs: most })
  const until = context.now + Math.max(delay, error.retryAfterMs ?? 0)
  return { status: 'reconnecting', retries, error, next: { step: 'backoff', since: context.now, until } }
}

/** No automatic attempt follows. */
export function fail({ refusedGeneration, openedAt }: RetryState, error: VoiceError): StreamState {
  return { status: 'failed', error, retries: { ...NO_RETRIES, refusedGeneration, openedAt } }
}

/** The same error, but final. */
function asFinal(error: VoiceError, message = error.message): VoiceError {
  const final = new VoiceError(error.code, { message, cause: error.cause })
  return Object.assign(final, error, { retryable: false, retryAfterMs: undefined })
}

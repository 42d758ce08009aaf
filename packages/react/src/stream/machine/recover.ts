import { backoffMs } from '../../platform/backoff.js'
import { VoiceError } from '../../VoiceError.js'
import type { LiveToken } from '../../token/TokenSource.js'
import type { StreamSettings } from './settings.js'
import type { StreamState, Tries, Trial } from './state.js'

/** What a transition may know of the world besides the state. */
export interface World {
  /** Monotonic milliseconds. */
  readonly now: number
  readonly online: boolean
  readonly settings: StreamSettings
  random(): number
  /** The next generation. */
  nextId(): number
}

/** Why there is no connection. */
export interface Failure {
  readonly error: VoiceError
  /** The token with which a handshake was refused for no known reason, or as unauthorized: a fresh one may be let in. */
  readonly refused?: LiveToken | undefined
}

export function mint(world: World, not?: number): Trial {
  return { step: 'minting', id: world.nextId(), not }
}

/**
 * What follows a failure. A final code ends the stream. A refusal is worth one fresh token, at once; refused again, the BFF looks once. All
 * else waits with full jitter, and ends too after so many failures in a row.
 */
export function recover(before: Tries, { error, refused }: Failure, world: World): StreamState {
  const tries: Tries = {
    ...before,
    // Offline, every try fails, and none says anything about the service.
    failures: before.failures + (world.online ? 1 : 0),
    refusals: before.refusals + (refused ? 1 : 0),
    // A link that is cut at its expiry has an older token than a standby that was refused before.
    not: refused ? Math.max(refused.generation, before.not ?? 0) : before.not,
  }
  if (!error.retryable) return fail(tries, error)
  if (refused && tries.refusals === 1) {
    return { status: 'reconnecting', tries, error, next: mint(world, tries.not) }
  }
  if (refused && error.code === 'unauthorized') return fail(tries, asFinal(error))
  if (refused && !tries.diagnosis) {
    return {
      status: 'reconnecting',
      tries,
      error,
      next: { step: 'checking', id: world.nextId(), token: refused },
    }
  }
  return wait(tries, refused && tries.diagnosis ? tries.diagnosis : error, world)
}

/** Waits before the next try; where there were too many, gives up. */
export function wait(tries: Tries, error: VoiceError, world: World): StreamState {
  const { minDelayMs = 500, maxDelayMs = 30_000, maxAttempts = 30 } = world.settings.reconnect ?? {}
  if (tries.failures > maxAttempts) return fail(tries, error)
  const delay = world.online
    ? backoffMs(tries.failures - 1, world.random(), { minDelayMs, maxDelayMs })
    : maxDelayMs
  const until = world.now + Math.max(delay, error.retryAfterMs ?? 0)
  return { status: 'reconnecting', tries, error, next: { step: 'waiting', since: world.now, until } }
}

/** No try follows by itself. */
export function fail({ not }: Tries, error: VoiceError): StreamState {
  return { status: 'failed', error, not }
}

/** The same error, where what would have mended it has been tried. */
export function asFinal(error: VoiceError): VoiceError {
  const { code, status, reqId, requestId, field, cause } = error
  return new VoiceError(code, { status, retryable: false, reqId, requestId, field, cause })
}

import type { Clock } from '../budget/core/Clock.js'
import type { BffError } from '../context/BffError.js'
import { untilEnded } from '../context/Cancellation.js'
import type { EmitEvent, UpstreamOperation } from '../context/events.js'
import type { Call } from '../context/RequestContext.js'
import { toBffError } from '../context/toBffError.js'
import { HttpFault } from './httpClient.js'

/** One call and at most this many repetitions, as far as the deadline allows. */
export const MAX_REPEATS = 3

const BASE_MS = 200
const CAP_MS = 2_000

/** Full jitter: anything from nothing to the doubled, capped step, so that callers who failed together do not return together. */
export function retryDelayMs(repeat: number, random: () => number): number {
  return Math.floor(random() * Math.min(CAP_MS, BASE_MS * 2 ** repeat))
}

/**
 * Safe to send again: `CACHE_UNAVAILABLE` (Contract: "Token errors"), and what was never written to a socket. A request that was
 * written and then lost may have been served, so it is not repeated.
 */
export function isSafeToRepeat(error: BffError): boolean {
  if (error.code === 'CACHE_UNAVAILABLE') return true
  return error.code === 'UPSTREAM_UNREACHABLE' && error.cause instanceof HttpFault && !error.cause.sent
}

export interface RepeatOptions {
  readonly operation: UpstreamOperation
  readonly clock: Clock
  readonly random: () => number
  readonly emit: EmitEvent
}

/** Runs `attempt` until it succeeds, fails in a way that is not safe to repeat, or the next pause would outlast the deadline. */
export async function withRepeats<TValue>(
  attempt: () => Promise<TValue>,
  call: Call,
  { operation, clock, random, emit }: RepeatOptions,
): Promise<TValue> {
  /** What the upstream said last: more than that the deadline cut the repetition short. */
  let said: BffError | undefined
  for (let repeat = 1; ; repeat++) {
    try {
      return await attempt()
    } catch (thrown) {
      if (call.ended?.why === 'deadline') throw said ?? thrown
      if (call.ended || repeat > MAX_REPEATS) throw thrown
      const error = toBffError(thrown, call.stage)
      const delayMs = retryDelayMs(repeat, random)
      if (!isSafeToRepeat(error) || delayMs >= call.remainingMs()) throw thrown
      emit?.({
        type: 'upstream.retried',
        requestId: call.id,
        operation,
        errorCode: error.code,
        repeat,
        delayMs,
      })
      said = error
      await pause(delayMs, call, clock)
    }
  }
}

async function pause(delayMs: number, call: Call, clock: Clock): Promise<void> {
  let cancel: (() => void) | undefined
  try {
    await untilEnded(new Promise<void>((resolve) => (cancel = clock.after(delayMs, resolve))), call)
  } finally {
    cancel?.()
  }
}

import { TransportError } from '@stagepass/contract'
import type { BffError } from '../errors/BffError.js'
import { untilAborted } from '../errors/Cancelled.js'
import type { UpstreamOperation } from '../events/events.js'
import type { RequestContext } from '../request/RequestContext.js'
import { toBffError } from '../errors/toBffError.js'

/** Maximum number of retries after the first attempt, if the deadline allows them. */
const MAX_RETRIES = 3

const BASE_MS = 200
const CAP_MS = 2_000

/**
 * A random delay from zero to a step that doubles up to a limit ("full jitter"). So callers that failed at
 * the same time do not retry at the same time.
 */
export function retryDelayMs(retry: number, random: () => number): number {
  return Math.floor(random() * Math.min(CAP_MS, BASE_MS * 2 ** retry))
}

/**
 * Three failures are safe to retry: `CACHE_UNAVAILABLE` (Contract: "Token errors"), a request of which
 * nothing was written to a socket, and a 408, because the server has not read the request. A request that was
 * written and then lost may have been served, so it is not sent again.
 */
function isSafeToRetry(error: BffError): boolean {
  if (error.code === 'CACHE_UNAVAILABLE') return true
  const wasLost = error.cause instanceof TransportError && error.cause.sent
  return error.code === 'UPSTREAM_UNREACHABLE' && !wasLost
}

/** Repeats an attempt while this is safe and the deadline allows it. */
export async function withRetries<TResult>(
  context: RequestContext,
  operation: UpstreamOperation,
  attempt: () => Promise<TResult>,
): Promise<TResult> {
  const { clock, random } = context.platform
  /** If the deadline ends the retries, the upstream's last error is more useful than a time-out. */
  let lastError: BffError | undefined
  for (let repeat = 1; ; repeat += 1) {
    try {
      return await attempt()
    } catch (thrown) {
      if (context.cancelled?.reason === 'deadline') throw lastError ?? thrown
      if (context.cancelled || repeat > MAX_RETRIES) throw thrown
      const error = toBffError(thrown, context.stage)
      const delayMs = retryDelayMs(repeat, random)
      if (!isSafeToRetry(error) || delayMs >= context.remainingMs()) throw thrown
      const { code: errorCode } = error
      const { id: requestId } = context
      context.emit?.({ type: 'upstream.retried', requestId, operation, errorCode, repeat, delayMs })
      lastError = error
      let cancelTimer: (() => void) | undefined
      const backoff = new Promise<void>((resolve) => (cancelTimer = clock.after(delayMs, resolve)))
      await untilAborted(backoff, context.signal).finally(cancelTimer)
    }
  }
}

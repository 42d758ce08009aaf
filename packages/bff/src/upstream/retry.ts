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
 * nothing was written to a socket, and a 408, because the server has not read the request.
 */
function isSafeToRetry(error: BffError): boolean {
  return error.code === 'CACHE_UNAVAILABLE' || (error.code === 'UPSTREAM_UNREACHABLE' && !wasWritten(error))
}

/**
 * True for a request that was written and whose connection then broke, before a byte of the response. Most
 * often the service had closed the idle connection at that moment. The request may have been served all the
 * same. A read changes nothing, and a token more costs nothing ("Retrying is safe", Contract: "Token errors"),
 * so both are sent again, once, on a new connection.
 */
function wasClosedIdle({ code, cause }: BffError): boolean {
  return code === 'UPSTREAM_UNREACHABLE' && cause instanceof TransportError && cause.sent && !cause.answered
}

function wasWritten({ cause }: BffError): boolean {
  return cause instanceof TransportError && cause.sent
}

/**
 * Repeats an attempt while this is safe and the deadline allows it. `attempt` gets true if it must not use a
 * connection that is already open.
 */
export async function withRetries<TResult>(
  context: RequestContext,
  operation: UpstreamOperation,
  attempt: (freshConnection: boolean) => Promise<TResult>,
): Promise<TResult> {
  const { clock, random } = context.platform
  /** If the deadline ends the retries, the upstream's last error is more useful than a time-out. */
  let lastError: BffError | undefined
  let freshConnection = false
  for (let repeat = 1; ; repeat += 1) {
    try {
      return await attempt(freshConnection)
    } catch (thrown) {
      if (context.cancelled?.reason === 'deadline') throw lastError ?? thrown
      if (context.cancelled || repeat > MAX_RETRIES) throw thrown
      const error = toBffError(thrown, context.stage)
      const isIdle: boolean = !freshConnection && wasClosedIdle(error)
      freshConnection ||= isIdle
      // The service is well, so there is nothing to wait for.
      const delayMs = isIdle ? 0 : retryDelayMs(repeat, random)
      if (!(isIdle || isSafeToRetry(error)) || delayMs >= context.remainingMs()) throw thrown
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

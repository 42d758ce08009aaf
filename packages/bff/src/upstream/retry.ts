import { TransportError } from '@stagepass/contract'
import type { BffError } from '../base/BffError.js'
import { pause } from '../request/pause.js'
import type { UpstreamOperation } from '../telemetry/events.js'
import type { RequestContext } from '../request/RequestContext.js'
import { toBffError } from '../request/toBffError.js'

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
 * Why a request may be sent again.
 *
 * - `repeatable`: the service has not done anything. It said so (`CACHE_UNAVAILABLE`), it has not read the
 *   request (a 408), or nothing was written to a socket.
 * - `lost`: the connection broke before a byte of the response arrived, as if the service closes an idle
 *   connection just when it is used again. The request may have been served. A read changes nothing, and of a
 *   token the contract says "Retrying is safe": one more costs nothing. (Contract: "Token errors".) So it is
 *   sent once more, on a new connection.
 *
 * If the response broke off later, the service was reached, and its answer would probably break off again.
 */
function retryReason(error: BffError): 'repeatable' | 'lost' | undefined {
  if (error.code === 'CACHE_UNAVAILABLE') return 'repeatable'
  if (error.code !== 'UPSTREAM_UNREACHABLE') return undefined
  const { cause } = error
  if (!(cause instanceof TransportError) || !cause.sent) return 'repeatable'
  return cause.answered ? undefined : 'lost'
}

/**
 * Repeats an attempt while this is safe and the deadline allows it. `fresh`: an earlier attempt was lost, so
 * use a new connection. Other idle connections may be closed too. `mayRepeat`: false if the request must not be
 * served twice.
 */
export async function withRetries<TResult>(
  context: RequestContext,
  operation: UpstreamOperation,
  attempt: (fresh: boolean) => Promise<TResult>,
  mayRepeat = true,
): Promise<TResult> {
  const { clock, random } = context.platform
  /** If the deadline ends the retries, the upstream's last error is more useful than a time-out. */
  let lastError: BffError | undefined
  let wasLost = false
  for (let repeat = 1; ; repeat += 1) {
    try {
      return await attempt(wasLost)
    } catch (thrown) {
      if (context.cancelled?.reason === 'deadline') throw lastError ?? thrown
      if (context.cancelled || repeat > MAX_RETRIES) throw thrown
      const error = toBffError(thrown, context.stage)
      const reason = retryReason(error)
      if (reason === undefined || (reason === 'lost' && (wasLost || !mayRepeat))) throw thrown
      wasLost ||= reason === 'lost'
      // A new connection is likely to work at once.
      const delayMs = reason === 'lost' ? 0 : retryDelayMs(repeat, random)
      if (delayMs >= context.remainingMs()) throw thrown
      const { code: errorCode } = error
      const { id: requestId } = context
      context.emit?.({ type: 'upstream.retried', requestId, operation, errorCode, repeat, delayMs })
      lastError = error
      await pause(delayMs, clock, context.signal)
    }
  }
}

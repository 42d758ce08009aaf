import { backoffMs } from '../platform/backoff.js'
import { LONGEST_TIMER_MS, type Platform } from '../platform/platform.js'
import type { VoiceError } from '../errors/VoiceError.js'

/** More retries if the server gave a Retry-After: the request then waits in a queue and has not failed. */
const MOST_RETRIES = { unannounced: 3, announced: 5 }

export interface RetryPolicy {
  readonly retry: (failures: number, error: VoiceError) => boolean
  readonly retryDelay: (failures: number, error: VoiceError) => number
}

/**
 * TanStack Query's `retry` and `retryDelay` for reads: no retry after a final error; other errors are retried
 * after their Retry-After, or with full jitter.
 */
export function retryPolicy({ platform }: { readonly platform: Platform }): RetryPolicy {
  return {
    retry(failures, error) {
      // A server that renders must respond to its visitor in time.
      if (!error.retryable || typeof window === 'undefined') return false
      return failures < (error.retryAfterMs === undefined ? MOST_RETRIES.unannounced : MOST_RETRIES.announced)
    },
    // Jitter is added to a Retry-After, so that clients that got the same value do not return together.
    retryDelay(failures, { retryAfterMs }) {
      const jitter = backoffMs(failures, platform.random())
      if (retryAfterMs === undefined) return jitter
      // TanStack Query waits by a timer of its own, which has a longest time.
      return Math.min(retryAfterMs + jitter / 10, LONGEST_TIMER_MS)
    },
  }
}

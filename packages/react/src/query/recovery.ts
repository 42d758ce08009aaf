import type { Client } from '../identity/Client.js'
import { perClient } from '../identity/perClient.js'
import { isVoiceError, type VoiceError } from '../errors/VoiceError.js'

/** What TanStack Query knows of a query. */
export interface FailedState {
  readonly data: unknown
  readonly error: unknown
  readonly errorUpdatedAt: number
}

/** With as much jitter. */
const RECOVERY_MS = 30_000

/** A random share of each wait, so that the pages do not return together. The same in each render. */
const jitterOf = perClient(({ platform }) => platform.random())

/** The error of a query that may succeed later, by one request. */
function temporaryError({ data, error }: FailedState): VoiceError | undefined {
  if (!isVoiceError(error) || !error.retryable) return undefined
  // This one was polled for minutes already.
  if (error.code === 'MEETING_PROCESSING') return undefined
  // A list costs one request for each page. It has a button.
  const { pages } = Object(data) as { readonly pages?: readonly unknown[] }
  return (pages?.length ?? 1) > 1 ? undefined : error
}

/**
 * The wait before a query that has failed after its retries is requested again: 30 to 60 s, and never shorter
 * than the server's Retry-After. False: it is not.
 */
export function recoveryMs(client: Client, state: FailedState): number | false {
  const error = temporaryError(state)
  return !!error && Math.max(error.retryAfterMs ?? 0, RECOVERY_MS) + jitterOf(client) * RECOVERY_MS
}

/** True if a failed query is requested again as soon as the page is visible or online again. */
export function isRecoverable({ platform }: Client, state: FailedState): boolean {
  const error = temporaryError(state)
  return !!error && platform.wallNow() >= state.errorUpdatedAt + (error.retryAfterMs ?? 0)
}

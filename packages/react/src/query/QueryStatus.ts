import type { VoiceError } from '../errors/VoiceError.js'
import { type ErrorStatus, type PendingStatus, statusFlags, type SuccessStatus } from './Status.js'

/** What a query does now, with the words of TanStack Query. */
export interface FetchStatus {
  /** `paused`: the request waits for the network, or a retry for the page to be visible. */
  readonly fetchStatus: 'fetching' | 'paused' | 'idle'
  /**
   * True while the request waits for the network. It is sent by itself when the network is back. A retry also
   * waits while the page is hidden.
   */
  readonly isPaused: boolean
}

/**
 * The status of a query, with the words and the meaning of TanStack Query. `error` is set only if `status` is
 * `'error'`.
 */
export type QueryStatus = FetchStatus & {
  /** True while a request is in flight, or waits for its next attempt. False while it `isPaused`. */
  readonly isFetching: boolean
  /**
   * Why the last attempt failed. While `isFetching` or `isPaused` is true, a retry follows automatically.
   * Null after a success.
   */
  readonly failureReason: VoiceError | null
  /** When the data was last updated, in milliseconds since 1970. 0 without data of this query. */
  readonly dataUpdatedAt: number
} & (PendingStatus | SuccessStatus | ErrorStatus)

/** The fields of a query that describe its status. */
interface QueryLike {
  readonly status: QueryStatus['status']
  readonly error: VoiceError | null
  readonly fetchStatus: FetchStatus['fetchStatus']
  readonly failureReason: VoiceError | null
  readonly dataUpdatedAt: number
}

export function queryStatusOf({
  status,
  error,
  fetchStatus,
  failureReason,
  dataUpdatedAt,
}: QueryLike): QueryStatus {
  // TanStack Query sets `error` exactly if the status is `'error'`.
  return {
    ...statusFlags(status),
    error,
    fetchStatus,
    isFetching: fetchStatus === 'fetching',
    isPaused: fetchStatus === 'paused',
    failureReason,
    dataUpdatedAt,
  } as QueryStatus
}

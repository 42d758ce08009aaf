import type { VoiceError } from '../VoiceError.js'

/**
 * The status of a query, with the words and the meaning of TanStack Query. `error` is set only if `status` is
 * `'error'`.
 */
export type QueryStatus = {
  /** True while a request is in flight, or waits for its next attempt. */
  readonly isFetching: boolean
  /**
   * Why the last attempt failed. While `isFetching` is true, a retry follows automatically. Null after a
   * success.
   */
  readonly failureReason: VoiceError | null
} & (
  | {
      readonly status: 'pending'
      readonly isPending: true
      readonly isSuccess: false
      readonly isError: false
      readonly error: null
    }
  | {
      readonly status: 'success'
      readonly isPending: false
      readonly isSuccess: true
      readonly isError: false
      readonly error: null
    }
  | {
      readonly status: 'error'
      readonly isPending: false
      readonly isSuccess: false
      readonly isError: true
      readonly error: VoiceError
    }
)

/** The fields of a query that describe its status. */
interface QueryLike {
  readonly status: QueryStatus['status']
  readonly error: VoiceError | null
  readonly isFetching: boolean
  readonly failureReason: VoiceError | null
}

export function queryStatusOf({ status, error, isFetching, failureReason }: QueryLike): QueryStatus {
  // TanStack Query sets `error` exactly if the status is `'error'`.
  return {
    status,
    isPending: status === 'pending',
    isSuccess: status === 'success',
    isError: status === 'error',
    error,
    isFetching,
    failureReason,
  } as QueryStatus
}

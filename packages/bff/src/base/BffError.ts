import { BFF_ERRORS, type BffErrorCode, type Seen } from '@stagepass/contract'

interface BffErrorDetails {
  /** Overrides the error table: `UPSTREAM_ERROR` is retryable after a 5xx. */
  readonly retryable?: boolean | undefined
  /** The part of the request that was refused. */
  readonly field?: string | undefined
  /** The upstream's request id. Its form was checked. */
  readonly reqId?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** Time at which the user's minutes are reset, in milliseconds since the epoch. */
  readonly resetsAtMs?: number | undefined
  /** Headers that HTTP asks for with this status. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * What was seen of the failure, for the operator's line and for events. It is never in a response, because
   * it may hold words of the service.
   */
  readonly seen?: Seen | undefined
  /** Only for events. It is never in a response. */
  readonly cause?: unknown
}

/** An error with a row of the error table. The client gets the table's title, never a cause. */
export class BffError extends Error {
  override readonly name = 'BffError'
  readonly code: BffErrorCode
  readonly retryable: boolean
  readonly details: BffErrorDetails

  constructor(code: BffErrorCode, details: BffErrorDetails = {}) {
    super(BFF_ERRORS[code].title, { cause: details.cause })
    this.code = code
    this.retryable = details.retryable ?? BFF_ERRORS[code].retryable
    this.details = details
  }
}

import { BFF_ERRORS, type BffErrorCode } from '@stagepass/contract'

interface BffErrorDetails {
  /** If it differs from the table: `UPSTREAM_ERROR` is retryable for a 5xx. */
  readonly retryable?: boolean | undefined
  /** The part of the request that was refused. */
  readonly field?: string | undefined
  /** The upstream's request id, already checked to look like one. */
  readonly reqId?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** When the user's minutes begin again, in milliseconds since the epoch. */
  readonly resetsAtMs?: number | undefined
  /** Methods of the path, for the header Allow. */
  readonly allow?: string | undefined
  /** For events only: it is never in a response. */
  readonly cause?: unknown
}

/** An error with a row of the error table. The client reads the table's message, never a cause. */
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

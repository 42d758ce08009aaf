import { BFF_ERRORS, type BffErrorCode, bffErrorRow, hasCode, hintText, type Seen } from '@stagepass/contract'

interface BffErrorDetails {
  /** Overrides the error table: 410 for a lease that was ended. */
  readonly status?: number | undefined
  /** A text of the host for the user whose session it has ended. */
  readonly reason?: string | undefined
  /** Overrides the error table: `UPSTREAM_ERROR` is retryable after a 5xx. */
  readonly retryable?: boolean | undefined
  /** The part of the request that was refused. */
  readonly field?: string | undefined
  /** The upstream's request id. Its form was checked. */
  readonly reqId?: string | undefined
  /** Overrides `waitMs` of the error table. */
  readonly retryAfterMs?: number | undefined
  /** Time at which the user's minutes are reset, in milliseconds since the epoch. */
  readonly resetsAtMs?: number | undefined
  /** Headers that HTTP asks for with this status. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * What was seen of the failure, for the operator's line, for events and for the hint. It is never in a
   * response.
   */
  readonly seen?: Seen | undefined
  /** Only for events. It is never in a response. */
  readonly cause?: unknown
  /** The BFF's id of the request, which the caller of `as` gets. */
  readonly requestId?: string | undefined
}

/**
 * An error with a row of the error table. `bff.as(grant)` rejects with it, and a response has the same
 * values. `message` is a whole sentence for the person at the screen, never a text of the service.
 */
export class BffError extends Error {
  override readonly name = 'BffError'
  /** A code of `docs/errors.md`: the exact one, even with `maskAccountErrors`. */
  readonly code: BffErrorCode
  /** The HTTP status of the code. */
  readonly status: number
  /** True if the same call may succeed later. */
  readonly retryable: boolean
  /** The part of the call that was refused, by its name in the call: `pageSize`, `ttlMinutes`. */
  readonly field: string | undefined
  /** Milliseconds until the next call may succeed. */
  readonly retryAfterMs: number | undefined
  /** The text of `bff.end`, with ENDED_BY_SERVER. */
  readonly reason: string | undefined
  /** The service's id of the request, for its support. */
  readonly reqId: string | undefined
  /** The BFF's id of the request, which is in its events and log lines. */
  readonly requestId: string
  /** @internal */
  declare readonly details: BffErrorDetails

  constructor(code: BffErrorCode, details: BffErrorDetails = {}) {
    const { title, status, retryable, waitMs } = bffErrorRow(code)
    super(title, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status ?? status
    this.retryable = details.retryable ?? retryable
    this.field = details.field
    this.retryAfterMs = details.retryAfterMs ?? waitMs
    this.reason = details.reason
    this.reqId = details.reqId
    this.requestId = details.requestId ?? ''
    // Not enumerable, so that a host that sends the error as JSON does not send what was seen.
    Object.defineProperty(this, 'details', { value: details })
  }

  /** What was seen, and what to do about it: a text for the developer or the operator. Never in a response. */
  get hint(): string {
    return hintText(bffErrorRow(this.code).hint, this.details.seen)
  }

  /**
   * The error for one caller. Callers that share a request share its error, and none may have its cause, with
   * anything in it. `field` and `option`: the caller's name of the refused part, and the option with the
   * address to which the request was sent.
   *
   * @internal
   */
  forCaller(requestId: string, field: string | undefined, option: string | undefined): BffError {
    const { retryable, retryAfterMs, details } = this
    const { cause: _, seen, ...others } = details
    const named = field !== undefined && seen?.['name'] === details.field && { name: field }
    return new BffError(this.code, {
      ...others,
      retryable,
      field,
      retryAfterMs,
      requestId,
      seen: seen && { ...seen, option, ...named },
    })
  }
}

/**
 * True for a `BffError`, with which every call of `bff.as(grant)` rejects. With `code`: only if the error has
 * this code. Works across duplicate modules.
 *
 * @example if (isBffError(error, 'RATE_LIMITED')) await wait(error.retryAfterMs)
 */
export function isBffError<TCode extends BffErrorCode = BffErrorCode>(
  error: unknown,
  code?: TCode,
): error is BffError & { readonly code: TCode } {
  if (!(error instanceof Error) || error.name !== 'BffError' || !('code' in error)) return false
  return hasCode(BFF_ERRORS, error.code) && (code === undefined || error.code === code)
}

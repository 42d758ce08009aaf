import { CLIENT_ERRORS, hasCode, type VoiceErrorCode } from '@stagepass/contract'

/** What is known of a failure beside its code. */
export interface VoiceErrorDetails {
  /** A sentence for a person: the `title` of the BFF's problem. Default: made from the code. */
  title?: string | undefined
  /** HTTP status of the response; left out if there was none. */
  status?: number | undefined
  /**
   * `false` is final: asking again cannot help. Default: for an error that the browser itself finds, what
   * docs/errors.md says; for any other `false`.
   */
  retryable?: boolean | undefined
  /** The upstream's id of the request, to be quoted to its support. */
  reqId?: string | undefined
  /** The BFF's id of the request, to be found in its logs. */
  requestId?: string | undefined
  /** The part of the request that was refused. */
  field?: string | undefined
  /** When to ask again, as the server said. */
  retryAfterMs?: number | undefined
  cause?: unknown
}

// Not `instanceof`: two copies of this module on one page (a linked package, a second bundle) would not know
// each other's errors.
const BRAND = Symbol.for('stagepass.VoiceError')

/**
 * The one error of this package. Hooks return it and never throw it (Suspense variants do). Branch on `code`;
 * `message` is a sentence for a person and never holds a token, a value of the user or text of the voice
 * service.
 */
export class VoiceError extends Error {
  override readonly name = 'VoiceError'
  readonly code: VoiceErrorCode
  readonly status: number | undefined
  readonly retryable: boolean
  readonly reqId: string | undefined
  readonly requestId: string | undefined
  readonly field: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: VoiceErrorCode, details: VoiceErrorDetails = {}) {
    super(details.title ?? titleOf(code), 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    // The BFF sends `status` and `retryable` with each of its codes, so its table is not in the page.
    this.retryable = details.retryable ?? (hasCode(CLIENT_ERRORS, code) && CLIENT_ERRORS[code].retryable)
    this.reqId = details.reqId
    this.requestId = details.requestId
    this.field = details.field
    this.retryAfterMs = details.retryAfterMs
  }

  get [BRAND](): true {
    return true
  }
}

/**
 * The sentences are in docs/errors.md and in the BFF's responses. In every page they would be bytes that few
 * people read.
 */
function titleOf(code: VoiceErrorCode): string {
  const words = code.toLowerCase().replaceAll('_', ' ')
  return `${code.charAt(0).toUpperCase()}${words.slice(1)}. See ${code} in docs/errors.md of Stagepass.`
}

/**
 * True for a `VoiceError`, and with `code` for one of that code. Works across duplicate modules.
 *
 * @example if (isVoiceError(error, 'UNAUTHENTICATED')) return <SignIn />
 */
export function isVoiceError<TCode extends VoiceErrorCode = VoiceErrorCode>(
  error: unknown,
  code?: TCode,
): error is VoiceError & { readonly code: TCode } {
  return (
    typeof error === 'object' &&
    error !== null &&
    BRAND in error &&
    (code === undefined || (error as VoiceError).code === code)
  )
}

/** The thrown value as a `VoiceError` that keeps it as its cause. */
export function asVoiceError(thrown: unknown, code: VoiceErrorCode = 'NETWORK_ERROR'): VoiceError {
  return isVoiceError(thrown) ? thrown : new VoiceError(code, { cause: thrown })
}

import { BFF_ERRORS, HANDSHAKE_HINTS, hasCode, hintText, type Hints, type Seen } from '@stagepass/contract'
import { CLIENT_ERRORS, type VoiceErrorCode } from './clientErrors.js'
import { LOST_BY, type LostBy } from './lostBy.js'

/** Details of a `VoiceError`, in addition to its code. */
export interface VoiceErrorDetails {
  /**
   * For the person at the screen: the `title` of the BFF's problem. Default: the sentence that belongs to the
   * code.
   */
  message?: string | undefined
  /**
   * For the developer: what was observed. Contains no token and no query. A sentence: the hint begins with
   * it. One of the causes of the code: the hint is the text of that cause.
   */
  seen?: string | Seen | undefined
  /** The hint itself, if the server said it. */
  hint?: string | undefined
  /** HTTP status of the response; left out if there was none. */
  status?: number | undefined
  /**
   * `false` is final: a retry cannot help. Default: for an error that the browser itself finds, the value in
   * docs/errors.md; for any other, `false`.
   */
  retryable?: boolean | undefined
  /** The voice service's id of the request. Quote it to the service's support. */
  reqId?: string | undefined
  /** The BFF's id of the request. The BFF's logs contain it. */
  requestId?: string | undefined
  /** The part of the request that was refused. */
  field?: string | undefined
  /** How long to wait before a retry, as the server said. */
  retryAfterMs?: number | undefined
  /** Why a stream lost its connection. */
  lostBy?: LostBy | undefined
  /** The close code of the socket, if it was closed. */
  closeCode?: number | undefined
  /** The reason in the close of the socket: text of the service. Left out if it has a part of the token. */
  closeReason?: string | undefined
  cause?: unknown
}

// Not `instanceof`: two copies of this module on one page (a linked package, a second bundle) would not
// recognise each other's errors.
const BRAND = Symbol.for('stagepass.VoiceError')

/**
 * The one error of this package. Hooks return it and never throw it (Suspense variants do). Branch on `code`;
 * `message` is a sentence for the person at the screen, and `hint` is a text for the developer. Neither
 * contains a token, a value of the user or text of the voice service.
 */
export class VoiceError extends Error {
  override readonly name = 'VoiceError'
  declare readonly code: VoiceErrorCode
  declare readonly status: number | undefined
  declare readonly retryable: boolean
  declare readonly reqId: string | undefined
  declare readonly requestId: string | undefined
  declare readonly field: string | undefined
  declare readonly retryAfterMs: number | undefined
  /**
   * Why a stream lost an open connection, such as `'sleep'` or `'expiry'`. `undefined` for every other
   * failure.
   */
  declare readonly lostBy: LostBy | undefined
  /** The close code of a stream's socket, such as 1006, if it was closed. */
  declare readonly closeCode: number | undefined
  /** The reason in that close. The only text of the voice service here: do not show it to a person. */
  declare readonly closeReason: string | undefined
  /** What was observed and what to check. Only in development builds. */
  declare readonly hint: string | undefined

  constructor(code: VoiceErrorCode, details: VoiceErrorDetails = {}) {
    const own = hasCode(CLIENT_ERRORS, code) ? CLIENT_ERRORS[code] : undefined
    const message = details.message ?? own?.title ?? 'Something went wrong. Try again.'
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    this.retryable = details.retryable ?? own?.retryable ?? false
    this.reqId = details.reqId
    this.requestId = details.requestId
    this.field = details.field
    this.retryAfterMs = details.retryAfterMs
    this.lostBy = details.lostBy
    this.closeCode = details.closeCode
    this.closeReason = details.closeReason
    this.hint = process.env.NODE_ENV === 'production' ? undefined : hintOf(code, details)
  }

  get [BRAND](): true {
    return true
  }
}

/**
 * Called only in development builds, so production builds do not contain the tables of the BFF and the
 * handshake.
 */
function hintOf(code: VoiceErrorCode, { hint, seen, lostBy }: VoiceErrorDetails): string | undefined {
  if (hint !== undefined) return hint
  const text = hintText(hintOfCode(code), typeof seen === 'object' ? seen : undefined)
  const sentence = typeof seen === 'string' && seen
  return [sentence, lostBy && LOST_BY[lostBy], text].filter(Boolean).join(' ') || undefined
}

/** Empty for a code that no table has: a newer BFF may send one. */
function hintOfCode(code: string): string | Hints {
  if (hasCode(HANDSHAKE_HINTS, code)) return HANDSHAKE_HINTS[code]
  if (hasCode(BFF_ERRORS, code)) return BFF_ERRORS[code].hint
  return (hasCode(CLIENT_ERRORS, code) && CLIENT_ERRORS[code].hint) || ''
}

/**
 * True for a `VoiceError`. With `code`: only if the error has this code. Works across duplicate modules.
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

/** Returns a `VoiceError` as it is. Any other thrown value becomes the `cause` of a new one. */
export function asVoiceError(
  thrown: unknown,
  code: VoiceErrorCode = 'NETWORK_ERROR',
  seen?: Seen,
): VoiceError {
  return isVoiceError(thrown) ? thrown : new VoiceError(code, { cause: thrown, seen })
}

import { BFF_ERRORS, HANDSHAKE_ERRORS, hasCode } from '@stagepass/contract'
import { CLIENT_ERRORS, type VoiceErrorCode } from './errors/clientErrors.js'
import { LOST_BY, type LostBy } from './errors/lostBy.js'

// Bundlers replace it.
declare const process: { readonly env: { readonly NODE_ENV?: string } }

/** What is known of a failure beside its code. */
export interface VoiceErrorDetails {
  /** For the person at the screen: the `title` of the BFF's problem. Default: the sentence of the code. */
  message?: string | undefined
  /** For the developer: what was seen, without a token and without a query. The hint begins with it. */
  seen?: string | undefined
  /** Address of a page of your own with a section for each code. */
  docsUrl?: string | undefined
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
  /** What ended the connection of a stream. */
  lostBy?: LostBy | undefined
  cause?: unknown
}

// Not `instanceof`: two copies of this module on one page (a linked package, a second bundle) would not know
// each other's errors.
const BRAND = Symbol.for('stagepass.VoiceError')

/**
 * The one error of this package. Hooks return it and never throw it (Suspense variants do). Branch on `code`;
 * `message` is a sentence for the person at the screen, and `hint` one for the developer. Neither holds a
 * token, a value of the user or text of the voice service.
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
  /**
   * Of a stream that lost an open connection: what ended it, such as `'sleep'` or `'expiry'`. `undefined` for
   * every other failure.
   */
  readonly lostBy: LostBy | undefined
  /** What was seen, and what to check. In development builds only. */
  readonly hint: string | undefined
  /** Address of the section about this code on your own page, if `errorDocsUrl` names one. */
  readonly docs: string | undefined

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
    this.hint =
      process.env.NODE_ENV === 'production'
        ? undefined
        : [details.seen, details.lostBy && LOST_BY[details.lostBy], hintOf(code)].filter(Boolean).join(' ') ||
          undefined
    this.docs = addressOf(code, details.docsUrl)
  }

  get [BRAND](): true {
    return true
  }
}

/** Development builds alone reach it, so the tables of the BFF and the handshake are in no other. */
function hintOf(code: VoiceErrorCode): string | false | undefined {
  if (hasCode(CLIENT_ERRORS, code)) return CLIENT_ERRORS[code].hint
  if (hasCode(BFF_ERRORS, code)) return BFF_ERRORS[code].hint
  return hasCode(HANDSHAKE_ERRORS, code) ? HANDSHAKE_ERRORS[code].hint : undefined
}

function addressOf(code: VoiceErrorCode, docsUrl: string | undefined): string | undefined {
  return docsUrl && `${docsUrl}#${code.toLowerCase()}`
}

/** The same error, with the section of the application's own page. */
export function withDocs(error: VoiceError, docsUrl: string | undefined): VoiceError {
  if (docsUrl !== undefined) Object.assign(error, { docs: addressOf(error.code, docsUrl) })
  return error
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

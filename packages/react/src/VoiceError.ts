import { BFF_ERRORS, HANDSHAKE_ERRORS, hasCode } from '@stagepass/contract'
import { CLIENT_ERRORS, type VoiceErrorCode } from './errors/clientErrors.js'

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
  cause?: unknown
}

// Not `instanceof`: two copies of this module on one page (a linked package, a second bundle) would not know
// each other's errors.
const BRAND = Symbol.for('stagepass.VoiceError')

// Bundlers replace it, for React and TanStack Query too.
declare const process: { readonly env: { readonly NODE_ENV?: string } }

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
  /** What was seen, and what to check. In development builds only. */
  readonly hint: string | undefined
  /** Address of the section about this code on your own page, if `errorDocsUrl` names one. */
  readonly docs: string | undefined

  constructor(code: VoiceErrorCode, details: VoiceErrorDetails = {}) {
    const own = ownRow(code)
    const message = details.message ?? own?.title ?? 'Something went wrong. Try again.'
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    this.retryable = details.retryable ?? (hasCode(CLIENT_ERRORS, code) && CLIENT_ERRORS[code].retryable)
    this.reqId = details.reqId
    this.requestId = details.requestId
    this.field = details.field
    this.retryAfterMs = details.retryAfterMs
    this.hint =
      process.env.NODE_ENV === 'production'
        ? undefined
        : [details.seen, hintOf(code)].filter(Boolean).join(' ') || undefined
    this.docs = addressOf(code, details.docsUrl)
  }

  get [BRAND](): true {
    return true
  }
}

/** The row of a code that the page itself finds. All others come with the BFF's problem. */
function ownRow(code: VoiceErrorCode): { readonly title: string; readonly hint: string | false } | undefined {
  if (hasCode(CLIENT_ERRORS, code)) return CLIENT_ERRORS[code]
  return hasCode(HANDSHAKE_ERRORS, code) ? HANDSHAKE_ERRORS[code] : undefined
}

/** Development builds alone reach it, so the table of the BFF is in no other. */
function hintOf(code: VoiceErrorCode): string | false | undefined {
  return hasCode(BFF_ERRORS, code) ? BFF_ERRORS[code].hint : ownRow(code)?.hint
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

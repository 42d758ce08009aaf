import type { BffErrorCode } from '@stagepass/contract'
import { VoiceError } from '../VoiceError.js'

/** Any other text is not a code of the BFF. */
const CODE = /^[A-Z][A-Z_]{2,39}$/

/**
 * Turns a response that is not a 2xx into a `VoiceError`. Parsed by hand, because a schema library is larger
 * than this package.
 */
export function readProblem(response: Response, body: Record<string, unknown> | undefined): VoiceError {
  const code = text(body?.error_code)
  if (!body || !code || !CODE.test(code)) return malformedResponse(response)
  const { status } = response
  const waitMs = body.retry_after_ms
  // A newer server may send a code that the type does not know. `status` and `retryable` say what to do.
  return new VoiceError(code as BffErrorCode, {
    title: titleOf(body.title),
    status,
    // The response decides, because a code can be worth a retry on one day and final on another
    // (UPSTREAM_ERROR).
    retryable: typeof body.retryable === 'boolean' ? body.retryable : isServerProblem(status),
    reqId: text(body.req_id),
    requestId: text(body.request_id),
    field: text(body.field),
    retryAfterMs: typeof waitMs === 'number' && waitMs >= 0 ? waitMs : retryAfterMs(response),
  })
}

/** The response is not from the BFF: an HTML page, a gateway, a login redirect. */
export function malformedResponse(response: Response): VoiceError {
  const { status } = response
  return new VoiceError('MALFORMED_ANSWER', {
    status: status || undefined,
    retryable: isServerProblem(status),
    retryAfterMs: retryAfterMs(response),
  })
}

/** True if the status says that the server has a problem: a later request may succeed. */
function isServerProblem(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}

/** Retry-After in seconds, or as a date that is compared with the same server's clock. */
function retryAfterMs({ headers }: Response): number | undefined {
  const header = headers.get('retry-after')
  if (!header) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const waitMs = Date.parse(header) - Date.parse(headers.get('date') ?? '')
  return waitMs >= 0 ? waitMs : undefined
}

/** The BFF's own sentence. A proxy before it may have written another one. */
function titleOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 200 ? value || undefined : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

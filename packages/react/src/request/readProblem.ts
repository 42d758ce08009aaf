import { BFF_ERRORS, hasCode } from '@stagepass/contract'
import { VoiceError, type VoiceErrorDetails } from '../VoiceError.js'

/**
 * Turns a response that is not a 2xx into a `VoiceError`. Parsed by hand, because a schema library is larger
 * than this package.
 */
export function readProblem(response: Response, body: Record<string, unknown> | undefined): VoiceError {
  if (typeof body?.error_code !== 'string') return malformedResponse(response)
  const details: VoiceErrorDetails = {
    title: titleOf(body.title),
    status: response.status,
    reqId: text(body.req_id),
    requestId: text(body.request_id),
    field: text(body.field),
    retryAfterMs: number(body.retry_after_ms) ?? retryAfterMs(response),
  }
  // The response decides, because a code can be worth a retry on one day and final on another
  // (UPSTREAM_ERROR).
  if (typeof body.retryable === 'boolean') details.retryable = body.retryable
  // A newer server may know more codes than this client; the union stays closed.
  return new VoiceError(hasCode(BFF_ERRORS, body.error_code) ? body.error_code : 'INTERNAL_ERROR', details)
}

/**
 * The response is not from the BFF: an HTML page, a gateway, a login redirect. Retryable only if the status
 * says that a server has a problem.
 */
export function malformedResponse(response: Response): VoiceError {
  const { status } = response
  return new VoiceError('MALFORMED_ANSWER', {
    status: status || undefined,
    retryable: status >= 500 || status === 408 || status === 429,
    retryAfterMs: retryAfterMs(response),
  })
}

/** Retry-After in seconds, or as a date that is compared with the same server's clock. */
function retryAfterMs(response: Response): number | undefined {
  const header = response.headers.get('retry-after')
  if (!header) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const waitMs = Date.parse(header) - Date.parse(response.headers.get('date') ?? '')
  return waitMs >= 0 ? waitMs : undefined
}

/** The BFF's own sentence. A proxy before it may have written another one. */
function titleOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 200 ? value || undefined : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}

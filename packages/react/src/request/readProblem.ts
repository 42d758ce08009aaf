import { BFF_ERRORS, hasCode } from '@stagepass/contract'
import { VoiceError, type VoiceErrorDetails } from '../VoiceError.js'

/** Turns an answer that is not a 2xx into a `VoiceError`. Parsed by hand: a schema library would weigh more than this package. */
export function errorOfAnswer(answer: Response, body: Record<string, unknown> | undefined): VoiceError {
  if (typeof body?.error_code !== 'string') return malformedAnswer(answer)
  const details: VoiceErrorDetails = {
    title: titleOf(body.title),
    status: answer.status,
    reqId: text(body.req_id),
    requestId: text(body.request_id),
    field: text(body.field),
    retryAfterMs: number(body.retry_after_ms) ?? retryAfterMs(answer),
  }
  // The wire decides, for a code can be worth a retry on one day and final on another (UPSTREAM_ERROR).
  if (typeof body.retryable === 'boolean') details.retryable = body.retryable
  // A newer server may know more codes than this client; the union stays closed.
  return new VoiceError(hasCode(BFF_ERRORS, body.error_code) ? body.error_code : 'INTERNAL_ERROR', details)
}

/** Something else answered: a page, a gateway, a login redirect. Worth a retry only where the status says that a server is in trouble. */
export function malformedAnswer(answer: Response): VoiceError {
  const { status } = answer
  return new VoiceError('MALFORMED_ANSWER', {
    status: status || undefined,
    retryable: status >= 500 || status === 408 || status === 429,
    retryAfterMs: retryAfterMs(answer),
  })
}

/** Retry-After in seconds or, measured against the same server's clock, as a date. */
function retryAfterMs(answer: Response): number | undefined {
  const header = answer.headers.get('retry-after')
  if (!header) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const waitMs = Date.parse(header) - Date.parse(answer.headers.get('date') ?? '')
  return waitMs >= 0 ? waitMs : undefined
}

/** The BFF's own sentence. Something in front of it may have written another one. */
function titleOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 200 ? value || undefined : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 ? value : undefined
}

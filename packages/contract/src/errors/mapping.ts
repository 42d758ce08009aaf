import { BFF_ERRORS, type BffErrorCode } from './bffErrors.js'
import { hasCode } from './ErrorRow.js'
import { TOKEN_ERRORS } from './upstreamErrors.js'

/** The BFF's error for an upstream failure. */
export interface MappedError {
  readonly code: BffErrorCode
  readonly retryable: boolean
}

/** A failed upstream response: its endpoint, its status, and its `error_code` if the body could be read. */
export interface UpstreamFailure {
  readonly endpoint: 'token' | 'meetings' | 'meeting' | 'tags' | 'request'
  readonly status: number
  /** `undefined` if the body is not an error envelope. */
  readonly errorCode?: string | undefined
  /** True for a page of a list after the first one. */
  readonly hasCursor?: boolean | undefined
}

const mapped = (code: BffErrorCode): MappedError => ({ code, retryable: BFF_ERRORS[code].retryable })

/** A service answers so for a cursor that it no longer knows. The same list without a cursor exists. */
const DEAD_CURSOR_STATUS: readonly number[] = [400, 404, 410]

const MEETINGS_STATUS: Readonly<Record<number, BffErrorCode>> = {
  400: 'VALIDATION_ERROR',
  401: 'MEETINGS_CREDENTIAL_REJECTED',
  403: 'MEETINGS_CREDENTIAL_REJECTED',
  409: 'MEETING_PROCESSING',
  429: 'UPSTREAM_RATE_LIMITED',
}

/**
 * The one mapping from the upstream's errors to the BFF's.
 *
 * A code of the token endpoint keeps its name, with any status. For the meetings interface only the status
 * counts, because the contract does not show its error body. A 404 for one meeting, or of another operation,
 * means that it does not exist. A 404 for a list means that the interface is at another address, or, with a
 * cursor, that the cursor is no longer valid. Redirects are never
 * followed and never a valid response.
 */
export function mapUpstreamFailure({ endpoint, status, errorCode, hasCursor }: UpstreamFailure): MappedError {
  if (status < 400) return mapped('UPSTREAM_MALFORMED')
  if (endpoint === 'token' && hasCode(TOKEN_ERRORS, errorCode)) return mapped(errorCode)
  if (status === 429) return mapped('UPSTREAM_RATE_LIMITED')
  // The server closed the connection and did not read the request that arrived at that moment (RFC 9110,
  // 15.5.9).
  if (status === 408) return mapped('UPSTREAM_UNREACHABLE')
  if (endpoint !== 'token') {
    if (hasCursor && DEAD_CURSOR_STATUS.includes(status)) return mapped('VALIDATION_ERROR')
    if (status === 404)
      return mapped(['meeting', 'request'].includes(endpoint) ? 'NOT_FOUND' : 'UPSTREAM_MALFORMED')
    // What another operation means by a status is not known. It has refused the request.
    const isRefused = endpoint === 'request' && status < 500 && status !== 401 && status !== 403
    const byStatus = isRefused ? 'VALIDATION_ERROR' : MEETINGS_STATUS[status]
    if (byStatus) return mapped(byStatus)
  }
  if (status >= 500) return { code: 'UPSTREAM_ERROR', retryable: true }
  return errorCode === undefined ? mapped('UPSTREAM_MALFORMED') : { code: 'UPSTREAM_ERROR', retryable: false }
}

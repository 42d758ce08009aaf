import { BFF_ERRORS, type BffErrorCode, type Problem as ProblemBody } from '@stagepass/contract'
import { BFF_TITLES } from '@stagepass/contract/titles'
import type { PageResponse } from '../wire/PageRequest.js'

interface ProblemDetails {
  readonly retryable?: boolean | undefined
  readonly field?: string | undefined
  readonly reqId?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** Methods of the path, for the header Allow. */
  readonly allow?: string | undefined
}

/** Thrown where a route cannot give what was requested. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: BffErrorCode
  readonly details: ProblemDetails

  constructor(code: BffErrorCode, details: ProblemDetails = {}) {
    super(BFF_TITLES[code])
    this.code = code
    this.details = details
  }
}

/** What every response of the BFF has. */
const HEADERS = {
  'cache-control': 'no-store, no-transform',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export function jsonResponse(status: number, value: unknown): PageResponse {
  const headers = { ...HEADERS, 'content-type': 'application/json; charset=utf-8' }
  return { status, headers, body: { type: 'text', text: JSON.stringify(value) } }
}

export function problemResponse({ code, details }: Problem, requestId: string): PageResponse {
  const { reqId, field, retryAfterMs, allow } = details
  const { status, retryable } = BFF_ERRORS[code]
  const body: ProblemBody = {
    type: `urn:stagepass:error:${code}`,
    title: BFF_TITLES[code],
    status,
    error_code: code,
    retryable: details.retryable ?? retryable,
    request_id: requestId,
    req_id: reqId,
    field,
    retry_after_ms: retryAfterMs && Math.ceil(retryAfterMs),
  }
  const headers = {
    ...HEADERS,
    'content-type': 'application/problem+json; charset=utf-8',
    ...(retryAfterMs !== undefined && {
      'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))),
    }),
    ...(allow !== undefined && { allow }),
  }
  return { status, headers, body: { type: 'text', text: JSON.stringify(body) } }
}

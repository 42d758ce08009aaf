import { bffErrorRow, DEADLINE_HEADER, DEFAULT_DEADLINE_MS, type Problem } from '@stagepass/contract'
import type { BffError } from '../../base/BffError.js'
import type { Settings } from '../../settings/readOptions.js'
import type { OutgoingResponse } from './OutgoingResponse.js'

/**
 * Headers of every response: do not store it, do not guess its type, do not send a referrer. `no-transform`
 * stops `compression` and proxies from compressing the body, because the length of a compressed secret helps
 * to guess it.
 */
export const GUARD_HEADERS = {
  'Cache-Control': 'no-store, no-transform',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const

/** Tells the page how long a response may take, if that is longer than it expects. */
export const deadlineHeaders = ({ deadlineMs }: Pick<Settings, 'deadlineMs'>): Record<string, string> =>
  deadlineMs > DEFAULT_DEADLINE_MS ? { [DEADLINE_HEADER]: String(deadlineMs) } : {}

const respond = (status: number, contentType: string, body: string): OutgoingResponse => ({
  status,
  headers: { ...GUARD_HEADERS, 'Content-Type': contentType },
  body,
  closeConnection: false,
})

export const jsonResponse = (status: number, json: string): OutgoingResponse =>
  respond(status, 'application/json; charset=utf-8', json)

export const textResponse = (status: number, text: string): OutgoingResponse =>
  respond(status, 'text/plain; charset=utf-8', text)

/** What a route returns: 200 with its JSON, or another status, or 204 without. */
export const resultResponse = (json: string | undefined, status = 200): OutgoingResponse =>
  json === undefined
    ? { status: 204, headers: { ...GUARD_HEADERS }, body: '', closeConnection: false }
    : jsonResponse(status, json)

type ProblemOptions = Pick<Settings, 'maskAccountErrors'>

export function problemResponse(
  error: BffError,
  requestId: string,
  options: ProblemOptions,
): OutgoingResponse {
  const problem = toProblem(error, requestId, options)
  const response = respond(problem.status, 'application/problem+json; charset=utf-8', JSON.stringify(problem))
  const { retryAfterMs } = error
  if (retryAfterMs !== undefined) response.headers['Retry-After'] = formatRetryAfter(retryAfterMs)
  Object.assign(response.headers, error.details.headers)
  // An unfinished body would block the connection, and a server that shuts down needs its connections to end.
  return { ...response, closeConnection: bffErrorRow(error.code).closes === true }
}

/** The problem for the client, with our title and status. The only text of the upstream is its request id. */
function toProblem(error: BffError, requestId: string, options: ProblemOptions): Problem {
  const masked = options.maskAccountErrors && bffErrorRow(error.code).masked
  const code = masked ? 'SERVICE_UNAVAILABLE' : error.code
  const row = bffErrorRow(code)
  const { retryAfterMs } = error
  const { reqId, field, resetsAtMs } = error.details
  return {
    type: `urn:stagepass:error:${code}`,
    title: row.title,
    status: masked ? row.status : error.status,
    error_code: code,
    retryable: masked ? row.retryable : error.retryable,
    request_id: requestId,
    req_id: reqId,
    field,
    reason: error.reason,
    resets_at: resetsAtMs === undefined ? undefined : new Date(resetsAtMs).toISOString(),
    retry_after_ms: retryAfterMs && Math.ceil(retryAfterMs),
  }
}

/** Formats a wait for the header `Retry-After`: whole seconds, rounded up, at least one. */
export function formatRetryAfter(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1_000)))
}

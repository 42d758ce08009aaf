import { BFF_ERRORS, isAccountError, type Problem } from '@stagepass/contract'
import { BFF_TITLES } from '@stagepass/contract/titles'
import type { Response } from 'express'
import type { BffError } from '../context/BffError.js'
import { formatRetryAfter } from '../upstream/parseRetryAfter.js'

/**
 * On every answer. Credentials and private lists belong in no cache, and a browser must not guess their type or pass on their address.
 * `no-transform` keeps `compression` and proxies from changing the body: a compressed secret can be guessed by its length.
 */
export const GUARD_HEADERS = {
  'Cache-Control': 'no-store, no-transform',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const

// Written out, not spread: every answer passes here.
const guarded = (contentType: string, json: string): Record<string, string | number> => ({
  'Cache-Control': GUARD_HEADERS['Cache-Control'],
  'X-Content-Type-Options': GUARD_HEADERS['X-Content-Type-Options'],
  'Referrer-Policy': GUARD_HEADERS['Referrer-Policy'],
  'Content-Type': contentType,
  'Content-Length': Buffer.byteLength(json),
})

/** What a route gives back: the body as JSON text, so that a shared answer is written out once. */
export interface Answer {
  readonly status: number
  readonly json: string
  /** The upstream call was made for another request. */
  readonly shared?: boolean | undefined
}

export function sendAnswer(res: Response, { status, json }: Answer): void {
  res.writeHead(status, guarded('application/json; charset=utf-8', json))
  res.end(json)
}

export interface ProblemOptions {
  /** Address of the error pages; a code's section is its fragment. `undefined`: a URN. */
  readonly errorDocsUrl: string | undefined
  readonly maskAccountErrors: boolean
}

/** An error as the client reads it: our sentence, our status; of the upstream nothing but its request id. */
export function toProblem(error: BffError, requestId: string, options: ProblemOptions): Problem {
  const masked = options.maskAccountErrors && isAccountError(error.code)
  const code = masked ? 'SERVICE_UNAVAILABLE' : error.code
  const row = BFF_ERRORS[code]
  return {
    type:
      options.errorDocsUrl === undefined
        ? `urn:stagepass:error:${code}`
        : `${options.errorDocsUrl}#${code.toLowerCase()}`,
    title: BFF_TITLES[code],
    status: row.status,
    error_code: code,
    retryable: masked ? row.retryable : error.retryable,
    request_id: requestId,
    ...(error.reqId !== undefined && { req_id: error.reqId }),
    ...(error.field !== undefined && { field: error.field }),
    ...(error.retryAfterMs !== undefined && { retry_after_ms: Math.ceil(error.retryAfterMs) }),
  }
}

export function sendProblem(res: Response, problem: Problem, error: BffError): void {
  const json = JSON.stringify(problem)
  const headers = guarded('application/problem+json; charset=utf-8', json)
  if (error.retryAfterMs !== undefined) headers['Retry-After'] = formatRetryAfter(error.retryAfterMs)
  if (error.allow !== undefined) headers['Allow'] = error.allow
  // A body that did not end would hold the connection, and a server that goes away wants its connections back.
  if (error.code === 'REQUEST_TIMEOUT' || error.code === 'SHUTTING_DOWN') headers['Connection'] = 'close'
  res.writeHead(problem.status, headers)
  res.end(json)
}

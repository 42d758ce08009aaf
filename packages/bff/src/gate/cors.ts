import type { Request, Response } from 'express'
import { GUARD_HEADERS } from '../request/OutgoingResponse.js'

const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/

/**
 * The CORS headers of an answer to a listed origin, errors included: without them a page cannot read even the code of a 503. Nothing at all
 * where `allowedOrigins` is empty.
 */
export function setCorsHeaders(req: Request, res: Response, allowedOrigins: ReadonlySet<string>): void {
  if (allowedOrigins.size === 0) return
  res.vary('Origin')
  const { origin } = req.headers
  if (origin === undefined || !allowedOrigins.has(origin)) return
  res.setHeader('Access-Control-Allow-Origin', origin)
  res.setHeader('Access-Control-Allow-Credentials', 'true')
  res.setHeader('Access-Control-Expose-Headers', 'Retry-After')
}

/** True for a preflight of a listed origin, which has been answered then; it never gets further than this. */
export function answerPreflight(req: Request, res: Response, allowedOrigins: ReadonlySet<string>): boolean {
  if (req.method !== 'OPTIONS') return false
  const { origin } = req.headers
  if (req.headers['access-control-request-method'] === undefined) return false
  if (origin === undefined || !allowedOrigins.has(origin)) return false
  for (const [name, value] of Object.entries(GUARD_HEADERS)) res.setHeader(name, value)
  const asked = req.headers['access-control-request-headers']
  res.setHeader('Access-Control-Allow-Methods', 'GET, POST')
  // The application chooses its own headers (a bearer token, say), so a listed origin gets those it asks for.
  if (asked !== undefined && HEADER_LIST.test(asked)) res.setHeader('Access-Control-Allow-Headers', asked)
  res.setHeader('Access-Control-Max-Age', '600')
  res.setHeader('Content-Length', '0')
  res.statusCode = 204
  res.end()
  return true
}

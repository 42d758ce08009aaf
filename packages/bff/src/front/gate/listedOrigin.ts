import type { IncomingRequest } from '../http/IncomingRequest.js'
import { listedOriginProblem } from '../../settings/origins.js'
import type { Settings } from '../../settings/readOptions.js'
import { valueKind } from '../../base/valueKind.js'

/** What the option `allowedOrigins` says about the page of a request. */
export interface ListedOrigin {
  /** The page's `Origin`, if it is listed. */
  readonly listed: string | undefined
  /** What the function of the host did wrong. */
  readonly problem?: string
  /** What it has thrown. */
  readonly cause?: unknown
}

const NOT_LISTED: ListedOrigin = { listed: undefined }
const REMEDY = 'Until then this counts as no.'

/** Looks the `Origin` of a request up, once for the whole request. Never throws. */
export function listedOrigin(
  request: IncomingRequest,
  { allowedOrigins }: Pick<Settings, 'allowedOrigins'>,
): ListedOrigin {
  const origin = request.header('origin')
  if (origin === undefined) return NOT_LISTED
  if (typeof allowedOrigins !== 'function')
    return allowedOrigins.has(origin) ? { listed: origin } : NOT_LISTED
  // Nor is the function called with what could not be in a list: "null", and what no browser sends.
  if (listedOriginProblem(origin) !== undefined) return NOT_LISTED
  try {
    const answer: unknown = allowedOrigins(origin)
    if (answer === true) return { listed: origin }
    if (answer === false) return NOT_LISTED
    const isPromise = typeof Reflect.get(Object(answer), 'then') === 'function'
    // An unhandled rejection would end the process.
    Promise.resolve(answer).catch(() => {})
    const kind = isPromise ? 'a promise' : valueKind(answer)
    const problem = `"allowedOrigins" returned ${kind}, and not true or false. Keep in memory what it needs: it cannot wait. ${REMEDY}`
    return { ...NOT_LISTED, problem }
  } catch (cause) {
    const problem = `"allowedOrigins" threw. Let it return false for an origin that it does not know. ${REMEDY}`
    return { ...NOT_LISTED, problem, cause }
  }
}

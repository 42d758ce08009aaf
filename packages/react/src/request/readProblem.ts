import { type BffErrorCode, boundWait, parseRetryAfter, requestRules, type Seen } from '@stagepass/contract'
import { VoiceError } from '../errors/VoiceError.js'

/** Any other text is not a code of the BFF. */
const CODE = /^[A-Z][A-Z_]{2,39}$/

const MEDIA_TYPE = /^[\w.+-]{1,40}\/[\w.+-]{1,80}$/

/** The request of the response, without values of the user. */
interface RequestPlace {
  /** Where the BFF should be. */
  readonly mount: string
  readonly route: string
  /** The BFF has responded to an earlier request, so its set-up is right. */
  readonly hasSucceeded: boolean
}

/** The statuses of a gateway that mean the same as those of the BFF, with the code and title of the BFF. */
const SAME_AS_OURS: Readonly<Record<number, readonly [BffErrorCode, string] | undefined>> = {
  401: ['UNAUTHENTICATED', 'Sign in to use this.'],
  413: ['PAYLOAD_TOO_LARGE', 'The body is too large.'],
  429: ['RATE_LIMITED', 'Too many requests. Wait a moment.'],
}

/**
 * Turns a response that is not a 2xx into a `VoiceError`. Parsed by hand, because a schema library is larger
 * than this package.
 */
export function readProblem(
  response: Response,
  body: Record<string, unknown> | undefined,
  place: RequestPlace,
): VoiceError {
  const code = text(body?.error_code)
  if (!body || !code || !CODE.test(code)) return notStagepass(response, place)
  const { status } = response
  const field = text(body.field)
  // A newer server may send a code that the type does not know. `status` and `retryable` say what to do.
  return new VoiceError(code as BffErrorCode, {
    // The host's reason for ENDED_BY_SERVER.
    message: titleOf(body.reason) ?? titleOf(body.title),
    status,
    // The response decides, because the same code can be retryable once and final another time
    // (UPSTREAM_ERROR).
    retryable: typeof body.retryable === 'boolean' ? body.retryable : isServerProblem(status),
    reqId: text(body.req_id),
    requestId: text(body.request_id),
    field,
    ...(process.env.NODE_ENV !== 'production' && {
      hint: reasonOf(response),
      seen: ruleSeen(field),
    }),
    retryAfterMs: boundWait(body.retry_after_ms) ?? retryAfterMs(response),
  })
}

/**
 * The response is not from a BFF: an HTML page, a gateway, a login redirect. After a success it is no mistake
 * of the set-up: a portal or a service worker responds for a while, so it is temporary.
 */
export function notStagepass(response: Response, place: RequestPlace): VoiceError {
  const { status } = response
  const same = SAME_AS_OURS[isRedirect(response) ? 401 : status]
  const isTemporary = isServerProblem(status) || (!same && place.hasSucceeded)
  const [code, message] = same ?? [
    'NOT_STAGEPASS' as const,
    isTemporary ? 'The server could not be reached. Try again in a moment.' : undefined,
  ]
  return new VoiceError(code, {
    message,
    seen: process.env.NODE_ENV === 'production' ? undefined : seenIn(response, place),
    status: status || undefined,
    retryable: isTemporary,
    retryAfterMs: retryAfterMs(response),
  })
}

/** A redirect leads to a login. The browser does not say where it leads. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}

/** The reason of the BFF, which it gives to a developer on its own machine. */
function reasonOf({ headers }: Response): string | undefined {
  return headers
    .get('x-stagepass-reason')
    ?.replace(/^[\w-]+: /, '')
    .slice(0, 400)
}

/** The rule that a part of the request broke. */
function ruleSeen(field: string | undefined): Seen | undefined {
  const rule = field === undefined ? undefined : requestRules()[field]
  return rule === undefined ? undefined : { cause: 'rule', name: field, rule }
}

/** What a response that is not from the BFF looks like. */
function seenIn(response: Response, { mount, route }: RequestPlace): Seen {
  const { status, headers } = response
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';')
  const url = mount + route
  if (isRedirect(response)) return { cause: 'redirect', url }
  const seen = { url, status, type: MEDIA_TYPE.test(mediaType) ? mediaType : 'without a media type' }
  if (isServerProblem(status) || SAME_AS_OURS[status]) return { cause: 'gateway', ...seen }
  if (status === 404) return { cause: 'missing', ...seen }
  if (mediaType === 'text/html') return { cause: status === 200 ? 'fallback' : 'page', ...seen }
  return { cause: 'other', ...seen }
}

/** True if the status says that the server has a problem: a later request may succeed. */
function isServerProblem(status: number): boolean {
  return status >= 500 || status === 408 || status === 429
}

/** A date is compared with the same server's clock. */
const retryAfterMs = ({ headers }: Response): number | undefined =>
  parseRetryAfter(headers.get('retry-after') ?? undefined, Date.parse(headers.get('date') ?? ''))

/** The BFF's own sentence. A proxy in front of it may have written another one. */
function titleOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 200 ? value || undefined : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

import { type BffErrorCode, PRODUCT_NAMES } from '@stagepass/contract'
import {
  AnyMeeting,
  HandshakeCheckResponse,
  MeetingsResponse,
  SessionTokenResponse,
  TagsResponse,
} from '@stagepass/contract/schemas'
import { describeRefusal, formatDuration } from '../checks/wording.js'
import { shownAddress } from '../net/explainFailure.js'
import { openSocket, waitForSession } from '../net/openSocket.js'
import { fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import { askAsPage, type BffContext, explainCode } from './BffContext.js'

/** A session token, as a page gets it. */
export async function token(context: BffContext): Promise<Outcome> {
  for (const product of PRODUCT_NAMES) {
    const json = { usage_type: product, expiration_ttl: 5 }
    const answer = await askAsPage(context, SessionTokenResponse, '/session-token', json)
    if (answer === 'FORBIDDEN' || answer === 'PRODUCT_NOT_ALLOWED') continue
    if (typeof answer === 'string') return explainCode(answer)
    const { session_key: sessionKey, stream_url: streamUrl, expires_in_ms: lifeMs } = answer
    context.redactor.hide(sessionKey)
    context.found.token = { product, sessionKey, streamUrl }
    return ok(`A token for ${product} that lives ${formatDuration(lifeMs)}.`)
  }
  return fail('This user may not use any product.', 'Check the products in the grant of authorize.')
}

/** The WebSocket of a page, which does not go through the BFF. */
export async function stream({ found, limits, signal, sleep }: BffContext): Promise<Outcome> {
  const { timeoutMs, settleMs } = limits
  if (!found.token || !URL.canParse(found.token.streamUrl))
    return fail('stream_url of the token is not an address.', 'Check the option streamingUrl of the BFF.')
  const url = new URL(found.token.streamUrl)
  url.search = `?authorization=${encodeURIComponent(`api-key ${found.token.sessionKey}`)}`
  const attempt = await openSocket({ url, signal, timeoutMs, settleMs }, sleep)
  if (attempt.type === 'refused')
    return fail(
      `${shownAddress(url)} refuses the token by ${describeRefusal(attempt)}.`,
      'Check that baseUrl and streamingUrl of the BFF are of one environment, and that a session of the account is free.',
    )
  await attempt.end()
  return ok(
    `${shownAddress(url)} opens with the token of the BFF.`,
    `Allow ${url.origin.replace(/^http/, 'ws')} in connect-src, if the page has a Content-Security-Policy.`,
  )
}

/** The BFF tries the handshake itself. */
export async function handshakeCheck(context: BffContext): Promise<Outcome> {
  const { product, sessionKey } = context.found.token ?? {}
  const json = { usage_type: product, session_key: sessionKey }
  const answer = await waitForSession(
    () => askAsPage(context, HandshakeCheckResponse, '/handshake-check', json),
    (one) => typeof one === 'object' && !one.ok && one.error_code === 'concurrency_limit_exceeded',
    context.sleep,
  )
  if (typeof answer === 'string') return explainCode(answer)
  if (answer.ok) return ok('The server of the BFF can open WebSockets to the service.')
  return warn(
    `The server of the BFF was refused: ${answer.error_code}.`,
    'If the stream above is ok, all sessions may be in use, or a token opens only one WebSocket. Then nothing is wrong.',
  )
}

const WIRE_ADVICE =
  'meetings.baseUrl or meetings.wire does not fit the service. Run the doctor without --bff, with VOICE_MEETINGS_TOKEN and --wire: it shows which value is wrong.'

const WIRE_CODES: readonly string[] = [
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'UPSTREAM_MALFORMED',
  'UPSTREAM_ERROR',
]

function explainMeetingsCode(code: BffErrorCode): Outcome {
  if (code === 'FORBIDDEN')
    return skipped('The grant of this user has no meetings.', 'Let authorize return meetings, if it should.')
  return explainCode(code, WIRE_CODES.includes(code) ? WIRE_ADVICE : undefined)
}

/** The first meetings page, as a page asks for it, and one meeting of it. */
export async function meetings(context: BffContext): Promise<Outcome> {
  const answer = await askAsPage(context, MeetingsResponse, '/meetings?limit=3')
  if (typeof answer === 'string') return explainMeetingsCode(answer)
  const [first] = answer.meetings
  if (!first) return ok('0 meetings.', 'To see that they come, use the cookie of a user who has meetings.')
  const one = await askAsPage(context, AnyMeeting, `/meetings/${encodeURIComponent(first.id)}`)
  if (typeof one === 'string') return explainMeetingsCode(one)
  return ok(`${answer.meetings.length} meetings, and one of them by its id.`)
}

/** The tag list, as a page asks for it. */
export async function tags(context: BffContext): Promise<Outcome> {
  const answer = await askAsPage(context, TagsResponse, '/tags')
  return typeof answer === 'string' ? explainMeetingsCode(answer) : ok(`${answer.tags.length} tags.`)
}

import { type BffErrorCode, PRODUCT_NAMES } from '@stagepass/contract'
import { HandshakeCheckAnswer, SessionTokenAnswer } from '@stagepass/contract/schemas'
import { BFF_TITLES } from '@stagepass/contract/titles'
import type { Check } from '../checks/Check.js'
import { codeOf, formatDuration, formOf } from '../checks/wording.js'
import { explainFailure, shownAddress } from '../net/explainFailure.js'
import { openSocket } from '../net/openSocket.js'
import { sendUnfinished } from '../net/sendUnfinished.js'
import { fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import { below } from '../settings/readVariables.js'
import { type BffContext, cookieOf, ownPage, problemCode, send } from './BffContext.js'

const withoutLogin = (): Outcome =>
  skipped(
    'Not checked, because it needs a login.',
    'Give --cookie with the cookie of a user who is signed in.',
  )

const mayAsk = ({ target, found }: BffContext): boolean =>
  target.cookie !== undefined || found.isOpen === true

const ADVICE: Partial<Readonly<Record<BffErrorCode, string>>> = {
  UNAUTHENTICATED:
    'The cookie is not of a user who is signed in. Copy it again from the browser: the whole Cookie header.',
  UPSTREAM_UNREACHABLE:
    'The server of the BFF cannot reach the voice service. Run the doctor there, without --bff.',
  UPSTREAM_TIMEOUT:
    'The voice service is too slow for the server of the BFF. Run the doctor there, without --bff.',
  AUTHORIZE_FAILED: 'Look at the events of the BFF (onEvent), and correct authorize.',
  RATE_LIMITED: 'Wait a minute, and run it again.',
}

const explainCode = (code: BffErrorCode): Outcome =>
  fail(`${code}: ${BFF_TITLES[code]}`, ADVICE[code] ?? `Look up ${code} in docs/errors.md of Stagepass.`)

/** A session token, as a page gets it. */
export const token: Check<BffContext> = {
  name: 'token',
  needs: ['gate own page'],
  async run(context) {
    if (!mayAsk(context)) return withoutLogin()
    for (const product of PRODUCT_NAMES) {
      const sent = await send(context, {
        path: '/session-token',
        method: 'POST',
        headers: ownPage(context),
        body: { usage_type: product, expiration_ttl: 5 },
        withCookie: true,
      })
      const code = problemCode(sent)
      if (code === 'FORBIDDEN' || code === 'PRODUCT_NOT_ALLOWED') continue
      if (code !== undefined) return explainCode(code)
      const parsed = SessionTokenAnswer.safeParse(sent.json)
      if (sent.status !== 200 || !parsed.success)
        return fail(
          `Something else than a token came (${sent.status}).`,
          'Let the proxy pass the responses of the BFF unchanged.',
        )
      const { session_key: sessionKey, stream_url: streamUrl, expires_in_ms: lifeMs } = parsed.data
      context.redactor.hide(sessionKey)
      Object.assign(context.found, { token: { product, sessionKey, streamUrl }, tokenResponse: sent })
      return ok(
        `A token for ${product} that lives ${formatDuration(lifeMs)}, in ${formatDuration(sent.tookMs)}.`,
      )
    }
    return fail(
      'This user may not use any product.',
      'Check the products in the grant that authorize returns.',
    )
  },
}

/** The WebSocket of a page, which does not go through the BFF. */
export const stream: Check<BffContext> = {
  name: 'stream',
  needs: ['token'],
  async run({ found, limits, signal }) {
    if (!found.token || !URL.canParse(found.token.streamUrl))
      return fail('stream_url of the token is not an address.', 'Check the option streamingUrl of the BFF.')
    const url = new URL(found.token.streamUrl)
    url.search = `?authorization=${encodeURIComponent(`api-key ${found.token.sessionKey}`)}`
    const attempt = await openSocket({ url, signal, timeoutMs: limits.timeoutMs, settleMs: limits.settleMs })
    if (attempt.type === 'failed') return explainFailure(url, attempt.error)
    if (attempt.type === 'refused')
      return fail(
        `${shownAddress(url)} refuses the token by ${formOf(attempt)}, ${codeOf(attempt)}.`,
        'Check that baseUrl and streamingUrl of the BFF are of the same environment of the service.',
      )
    await attempt.socket.end()
    return ok(
      `${shownAddress(url)} opens with the token of the BFF.`,
      `Allow ${url.origin.replace(/^http/, 'ws')} in connect-src, if the page has a Content-Security-Policy.`,
    )
  },
}

/** The BFF tries the handshake itself. */
export const handshakeCheck: Check<BffContext> = {
  name: 'handshake check',
  needs: ['token'],
  async run(context) {
    const { token: minted } = context.found
    const sent = await send(context, {
      path: '/handshake-check',
      method: 'POST',
      headers: ownPage(context),
      body: { usage_type: minted?.product, session_key: minted?.sessionKey },
      withCookie: true,
    })
    const code = problemCode(sent)
    if (code !== undefined) return explainCode(code)
    const parsed = HandshakeCheckAnswer.safeParse(sent.json)
    if (!parsed.success)
      return fail(
        `Something else than the BFF answers (${sent.status}).`,
        'Let the proxy pass /handshake-check to the BFF.',
      )
    if (parsed.data.ok) return ok('The server of the BFF can open WebSockets to the service.')
    return warn(
      `The server of the BFF was refused: ${parsed.data.error_code}.`,
      'If the stream above is ok, all sessions may be in use, or a token opens only one WebSocket. Then nothing is wrong.',
    )
  },
}

/** A body that does not end: what gives up first, the BFF or something in front of it? */
export const timeouts: Check<BffContext> = {
  name: 'time-outs',
  needs: ['gate own page'],
  async run(context) {
    if (!mayAsk(context)) return withoutLogin()
    const { target, signal, limits } = context
    const url = below(target.url, '/session-token')
    const headers = { ...ownPage(context), ...cookieOf(context) }
    const { type, status, text, tookMs } = await sendUnfinished(url, headers, limits.unfinishedMs, signal)
    const after = formatDuration(tookMs)
    const code = type === 'response' ? problemCode({ json: parseJson(text) }) : undefined
    if (code === 'REQUEST_TIMEOUT')
      return ok(`The BFF itself ended a request without an end, after ${after}.`)
    if (code === 'UNAUTHENTICATED') return explainCode(code)
    if (type === 'silent')
      return ok(
        `Something in front holds a request without an end back for more than ${after}, so its time-outs cannot be seen from here.`,
        'Make its time to wait for a response longer than deadlineMs of the BFF (nginx: proxy_read_timeout).',
      )
    if (code !== undefined)
      return warn(
        `The BFF answered ${code} to a request without an end.`,
        `Look up ${code} in docs/errors.md of Stagepass.`,
      )
    const how = type === 'closed' ? 'without a response' : `with ${status}`
    return fail(
      `Something in front of the BFF ended a request ${how} after ${after}, before the BFF did.`,
      'Make its time-outs longer than deadlineMs of the BFF, 10 s by default (nginx: proxy_read_timeout, client_body_timeout).',
    )
  },
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

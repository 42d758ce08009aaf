import { type Product, PRODUCT_NAMES, PRODUCTS } from '@stagepass/contract'
import { UpstreamErrorEnvelope, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import type { Run } from '../checks/Check.js'
import { describeRefusal, TROUBLE } from '../checks/wording.js'
import type { HttpResponse } from '../net/createHttp.js'
import { shownAddress } from '../net/explainFailure.js'
import { isFull, type Opened, openSocket, type Refused, type SocketRequest } from '../net/openSocket.js'
import { CheckEnded, fail, type Outcome, skipped } from '../report/Result.js'
import { below } from '../settings/readVariables.js'
import type { ServiceSettings } from '../settings/Settings.js'

export interface SessionToken {
  readonly product: Product
  readonly sessionKey: string
  readonly expiresAtMs: number
}

/**
 * The token endpoint's response to a request for a token: a token, or the code of a refusal, if it has one.
 */
export interface Mint {
  readonly token?: SessionToken | undefined
  readonly code?: string | undefined
  readonly response: HttpResponse
}

/** What the checks of the service share. */
export interface ServiceContext extends Run {
  readonly settings: ServiceSettings
  /** May the run wait until a token expires? */
  readonly waitsForExpiry: boolean
  /** What earlier checks found. */
  readonly found: {
    /** The service's clock minus ours. */
    clockAheadMs?: number
    /**
     * Until a handshake counts as accepted. A service that refuses late gets more time than
     * `limits.settleMs`.
     */
    settleMs?: number
    /** All sessions of the account stay in use: it is not worth to wait for one again. */
    isFull?: boolean
    /** The first response for each product. */
    readonly mints: Map<Product, Mint>
  }
}

export const tokenUrl = ({ settings }: ServiceContext): URL =>
  below(settings.baseUrl, '/v2/sdk/tokens/session')

/** Requests a token with the shortest life. (Contract: "Token endpoint".) */
export async function mint(context: ServiceContext, product: Product): Promise<Mint> {
  const { settings, redactor } = context
  const response = await context.sendPatiently({
    method: 'POST',
    url: tokenUrl(context),
    headers: { authorization: `api-key ${settings.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ usage_type: product, expiration_ttl: PRODUCTS[product].ttlMinutes.min }),
  })
  const envelope = UpstreamTokenEnvelope.safeParse(response.json)
  if (response.status !== 200 || !envelope.success) return { code: errorCodeOf(response), response }
  const { session_key: sessionKey, expires_at } = envelope.data.data
  redactor.hide(sessionKey)
  return { token: { product, sessionKey, expiresAtMs: Date.parse(expires_at) }, response }
}

/** The `error_code` of a body, if it is the error body. */
export const errorCodeOf = ({ json }: HttpResponse): string | undefined =>
  UpstreamErrorEnvelope.safeParse(json).data?.error_code

/** One more token, of the first product that the plan has. */
export async function mintAnother(context: ServiceContext): Promise<SessionToken> {
  const product = PRODUCT_NAMES.find((name) => context.found.mints.get(name)?.token)
  const { token } = product ? await mint(context, product) : {}
  if (token) return token
  throw new CheckEnded(skipped('Not checked, because there is no token for it.', 'Look at the tokens first.'))
}

/**
 * A handshake with the token in the query, as a page opens it, or in the header. (Contract: "WebSocket
 * handshake".)
 */
export function handshakeOf(
  context: ServiceContext,
  { product, sessionKey }: { readonly product: Product; readonly sessionKey: string | undefined },
  by: 'header' | 'query' = 'query',
): SocketRequest {
  const { settings, limits, signal, found } = context
  const { timeoutMs, settleMs } = limits
  const url = below(settings.streamingUrl, PRODUCTS[product].path)
  const authorization = `api-key ${sessionKey}`
  if (sessionKey !== undefined && by === 'query')
    url.search = `?authorization=${encodeURIComponent(authorization)}`
  const headers = by === 'header' ? { authorization } : {}
  return { url, headers, signal, timeoutMs, settleMs: found.settleMs ?? settleMs }
}

/** Opens the WebSocket, or ends the check. No other session of the doctor should be open. */
export async function open(
  context: ServiceContext,
  token: SessionToken,
  by?: 'header' | 'query',
): Promise<Opened> {
  const request = handshakeOf(context, token, by)
  const { found } = context
  const attempt = await openSocket(request, found.isFull ? undefined : context.sleep)
  found.isFull = isFull(attempt)
  if (attempt.type === 'open') return attempt
  throw new CheckEnded(explainRefusedToken(request.url, attempt))
}

const TAKEN_AWAY = 'Something on the way takes the authorization away. Check the proxy in between.'

/** A handshake that was refused although its token is good. */
function explainRefusedToken(url: URL, refused: Refused): Outcome {
  const advice = {
    concurrency_limit_exceeded:
      'All sessions of the account are in use, and none ended in 10 s. Close other sessions, or ask the service for more.',
    unauthorized: 'Check that VOICE_BASE_URL and VOICE_STREAMING_URL are of the same environment.',
    missing_authorization_header: TAKEN_AWAY,
    invalid_api_key: TAKEN_AWAY,
    STREAM_ERROR: TROUBLE,
    unknown: 'Check VOICE_STREAMING_URL, and that this path exists there.',
  }[refused.refusal?.code ?? 'unknown']
  return fail(`${shownAddress(url)} refuses a fresh token by ${describeRefusal(refused)}.`, advice)
}

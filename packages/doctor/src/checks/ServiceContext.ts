import { type Product, PRODUCT_NAMES, PRODUCTS } from '@stagepass/contract'
import { UpstreamErrorEnvelope, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import type { Http, HttpResponse } from '../net/createHttp.js'
import { type Handshake, type OpenSocket, openSocket } from '../net/openSocket.js'
import type { Platform } from '../net/Platform.js'
import type { Redactor } from '../report/createRedactor.js'
import { below } from '../settings/readVariables.js'
import type { Limits, ServiceSettings } from '../settings/Settings.js'

export interface SessionToken {
  readonly product: Product
  readonly sessionKey: string
  readonly expiresAtMs: number
  readonly status: string
}

/** The token endpoint's response to a request for a token. */
export type Mint =
  | { readonly type: 'token'; readonly token: SessionToken; readonly response: HttpResponse }
  /** `code` is left out if the body is not the error body. (Contract: "Token error body".) */
  | { readonly type: 'refused'; readonly code: string | undefined; readonly response: HttpResponse }

/** What the checks of the service share. */
export interface ServiceContext {
  readonly settings: ServiceSettings
  readonly limits: Limits
  readonly platform: Platform
  readonly signal: AbortSignal
  readonly http: Http
  /** Knows the secrets. A text of the other side is shown only if it is safe. */
  readonly redactor: Redactor
  /** What earlier checks found. */
  readonly found: {
    /** The service's clock minus ours. */
    clockAheadMs?: number
    /** The first token of each product. */
    readonly tokens: Map<Product, SessionToken>
    readonly mints: Map<Product, Mint>
  }
}

const TOKEN_PATH = '/v2/sdk/tokens/session'

export const tokenUrl = ({ settings }: ServiceContext): URL => below(settings.baseUrl, TOKEN_PATH)

/** Requests a token with the shortest life. Rejects if there is no response. (Contract: "Token endpoint".) */
export async function mintToken(context: ServiceContext, product: Product): Promise<Mint> {
  const { http, settings, redactor } = context
  const response = await http.send({
    method: 'POST',
    url: tokenUrl(context),
    headers: { authorization: `api-key ${settings.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ usage_type: product, expiration_ttl: PRODUCTS[product].ttlMinutes.min }),
  })
  const envelope = UpstreamTokenEnvelope.safeParse(response.json)
  if (response.status === 200 && envelope.success) {
    const { session_key: sessionKey, expires_at, status } = envelope.data.data
    redactor.hide(sessionKey)
    const token = { product, sessionKey, expiresAtMs: Date.parse(expires_at), status }
    return { type: 'token', token, response }
  }
  return { type: 'refused', code: errorCodeOf(response.json), response }
}

/** The `error_code` of a body, if it looks like one. */
export function errorCodeOf(json: unknown): string | undefined {
  const parsed = UpstreamErrorEnvelope.safeParse(json)
  return parsed.success && /^[A-Z][A-Z0-9_]{2,63}$/.test(parsed.data.error_code)
    ? parsed.data.error_code
    : undefined
}

/** The products for which there is a token. */
export const productsWithToken = ({ found }: ServiceContext): Product[] =>
  PRODUCT_NAMES.filter((product) => found.tokens.has(product))

export const streamUrl = ({ settings }: ServiceContext, product: Product): URL =>
  below(settings.streamingUrl, PRODUCTS[product].path)

/** How a handshake carries its authorization: as a server can, or as a page must. (Contract: "WebSocket handshake".) */
export type Carrier = 'header' | 'query'

export interface HandshakeOptions {
  readonly product: Product
  /** `undefined`: none is sent. */
  readonly sessionKey: string | undefined
  readonly by: Carrier
}

export function tryHandshake(
  context: ServiceContext,
  { product, sessionKey, by }: HandshakeOptions,
): Promise<Handshake> {
  const { limits, signal } = context
  const url = streamUrl(context, product)
  const value = sessionKey === undefined ? undefined : `api-key ${sessionKey}`
  if (value !== undefined && by === 'query') url.search = `?authorization=${encodeURIComponent(value)}`
  const headers = value !== undefined && by === 'header' ? { authorization: value } : {}
  return openSocket({ url, headers, signal, timeoutMs: limits.timeoutMs, settleMs: limits.settleMs })
}

/** Closes what was opened, and waits for it: the next check may be the only session that the account has. */
export async function endAll(...sockets: (OpenSocket | undefined)[]): Promise<void> {
  await Promise.all(sockets.map(async (socket) => socket?.end()))
}

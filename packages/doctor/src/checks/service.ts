import { hasCode, type Product, PRODUCT_NAMES, PRODUCTS, TOKEN_ERRORS, TOKEN_PATH } from '@stagepass/contract'
import { UpstreamErrorEnvelope, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import type { HttpResponse } from '../net/createSend.js'
import { shownAddress } from '../net/explainFailure.js'
import { describeRefusal, openSocket } from '../net/openSocket.js'
import { fail, ok, type Outcome, skipped, warn } from '../report/Result.js'
import { below } from '../settings/readVariables.js'
import type { ServiceSettings } from '../settings/Settings.js'
import type { Run } from './Check.js'

/** The parts that the checks of the service share. */
export interface ServiceContext extends Run {
  readonly settings: ServiceSettings
  /** The first response for each product, and its token. */
  readonly minted: Map<Product, Minted>
}

interface Minted {
  readonly response: HttpResponse
  readonly sessionKey: string | undefined
}

export const TROUBLE = 'The service itself has a problem. Try again later.'

/**
 * Describes a response that looks like a proxy's page, a redirect or a wrong path. `undefined` if it looks
 * like the interface.
 */
export function strangeResponse({ status, json, headers }: HttpResponse): string | undefined {
  if (status >= 300 && status < 400) return `redirects (${status})`
  if (status === 404) return 'has nothing at that path (404)'
  if ((headers['content-type'] ?? '').startsWith('text/html')) return `sends a web page (${status})`
  return json === undefined ? `sends something that is not JSON (${status})` : undefined
}

const tokenUrl = ({ baseUrl }: ServiceSettings): URL => below(baseUrl, TOKEN_PATH)

/** The `error_code` of an error body. */
const errorCodeOf = ({ json }: HttpResponse): string | undefined =>
  UpstreamErrorEnvelope.safeParse(json).data?.error_code

const BASE_URL = 'Check VOICE_BASE_URL. It must be the part of the address before /v2/sdk/tokens/session.'

/** Checks the address and TLS with a request without a key, which costs nothing. */
export async function tokenAddress({ settings, send }: ServiceContext): Promise<Outcome> {
  const url = tokenUrl(settings)
  const response = await send({ url, method: 'POST', json: { usage_type: 'stt' } })
  const strange = strangeResponse(response)
  if (strange !== undefined) return fail(`${shownAddress(url)} ${strange}.`, BASE_URL)
  const how = url.protocol === 'https:' ? 'over TLS' : 'without TLS, on this machine'
  const seen = `${shownAddress(settings.baseUrl)} answers ${how}`
  if (response.status >= 500) return warn(`${seen}. Its status is ${response.status}.`, TROUBLE)
  if (errorCodeOf(response) === 'AUTH_HEADER_MISSING') return ok(`${seen}.`)
  return warn(
    `${seen}. Without a key it answers ${response.status} instead of AUTH_HEADER_MISSING.`,
    BASE_URL,
  )
}

/** Mints a token with the shortest lifetime, once for each product. (Contract: "Token endpoint".) */
async function mint({ settings, send, redactor, minted }: ServiceContext, product: Product): Promise<Minted> {
  const known = minted.get(product)
  if (known) return known
  const response = await send({
    url: tokenUrl(settings),
    method: 'POST',
    headers: { authorization: `api-key ${settings.apiKey}` },
    json: { usage_type: product, expiration_ttl: PRODUCTS[product].ttlMinutes.min },
  })
  const envelope = UpstreamTokenEnvelope.safeParse(response.json).data
  const sessionKey = response.status === 200 ? envelope?.data.session_key : undefined
  if (sessionKey !== undefined) redactor.hide(sessionKey)
  minted.set(product, { response, sessionKey })
  return { response, sessionKey }
}

function explainRefusal({ response }: Minted): Outcome {
  const { status } = response
  const code = errorCodeOf(response)
  if (hasCode(TOKEN_ERRORS, code))
    return fail(`${code}: ${TOKEN_ERRORS[code].title}`, TOKEN_ERRORS[code].hint)
  if (status === 429 || status >= 500) return fail(`The service answered ${status}.`, TROUBLE)
  const strange = strangeResponse(response) ?? `answered ${status}, which its contract does not allow`
  return fail(`The token endpoint ${strange}.`, `${BASE_URL} Check that no proxy changes its responses.`)
}

/** Checks the key with a token of the first product. (Contract: "Token errors".) */
export async function key(context: ServiceContext): Promise<Outcome> {
  const minted = await mint(context, PRODUCT_NAMES[0])
  const code = errorCodeOf(minted.response)
  // Any other 403 concerns only the product. The next check reports it.
  const isOfProduct = minted.response.status === 403 && !code?.startsWith('AUTH_')
  return minted.sessionKey !== undefined || isOfProduct
    ? ok('The service accepts the key.')
    : explainRefusal(minted)
}

/** Checks that the plan has this product. (Contract: "Token errors".) */
export const token =
  (product: Product) =>
  async (context: ServiceContext): Promise<Outcome> => {
    const minted = await mint(context, product)
    if (minted.sessionKey !== undefined) return ok(`${PRODUCTS[product].name}: a token.`)
    const refusal = explainRefusal(minted)
    return errorCodeOf(minted.response) === 'PRODUCT_NOT_ALLOWED' ? { ...refusal, status: 'warn' } : refusal
  }

const STREAMING_URL =
  'Check VOICE_STREAMING_URL. It must be the part of the address before /stt. A proxy in front must forward WebSocket upgrades.'

/**
 * Checks the address and TLS with a handshake without a token, which uses no session. (Contract: "Handshake
 * errors".)
 */
export async function streamAddress({ settings, limits, signal }: ServiceContext): Promise<Outcome> {
  const base = shownAddress(settings.streamingUrl)
  const url = below(settings.streamingUrl, PRODUCTS.stt.path)
  // A service may open the WebSocket before it refuses.
  const refused = await openSocket(url, undefined, { ...limits, settleMs: 4 * limits.settleMs }, signal)
  if (!refused) return fail(`${base} opens a WebSocket without any token.`, STREAMING_URL)
  if (refused.refusal?.code === 'STREAM_ERROR')
    return warn(`${base} answers a handshake with ${refused.form}.`, TROUBLE)
  if (refused.refusal) return ok(`${base} accepts WebSockets and requires a token.`)
  return fail(`${base} answers a handshake with ${describeRefusal(refused)}.`, STREAMING_URL)
}

const REMOVED = 'Something between this machine and the service removes the authorization. Check the proxy.'

const REFUSED = {
  concurrency_limit_exceeded:
    'All sessions of the account are in use. Close other sessions, or ask the service for more.',
  unauthorized: 'Check that VOICE_BASE_URL and VOICE_STREAMING_URL belong to the same environment.',
  missing_authorization_header: REMOVED,
  invalid_api_key: REMOVED,
  STREAM_ERROR: TROUBLE,
  unknown: 'Check VOICE_STREAMING_URL, and that this path exists there.',
} as const

/** Opens the WebSocket of a product, as a page does. (Contract: "WebSocket endpoints".) */
export const stream =
  (product: Product) =>
  async ({ settings, minted, limits, signal }: ServiceContext): Promise<Outcome> => {
    const sessionKey = minted.get(product)?.sessionKey
    if (sessionKey === undefined)
      return skipped(
        'Not checked, because the plan does not have this product.',
        'Do not list it in the grants.',
      )
    const { path } = PRODUCTS[product]
    const url = below(settings.streamingUrl, path)
    const refused = await openSocket(url, sessionKey, limits, signal)
    if (!refused) return ok(`${path} opens with the token in the query.`)
    const seen = `${shownAddress(url)} refuses a new token by ${describeRefusal(refused)}.`
    return fail(seen, REFUSED[refused.refusal?.code ?? 'unknown'])
  }

import { hasCode, type Product, PRODUCTS, TOKEN_ERRORS } from '@stagepass/contract'
import { formatDuration, strangeResponse, timed, TROUBLE } from '../checks/wording.js'
import { dateOf } from '../net/createHttp.js'
import { shownAddress } from '../net/explainFailure.js'
import { fail, ok, type Outcome, warn } from '../report/Result.js'
import { errorCodeOf, type Mint, mint, type ServiceContext, tokenUrl } from './ServiceContext.js'

/** A request without a key: it shows address, TLS, latency and clock, and costs nothing. */
export async function tokenAddress(context: ServiceContext): Promise<Outcome> {
  const url = tokenUrl(context)
  const headers = { 'content-type': 'application/json' }
  const response = await context.sendPatiently({ method: 'POST', url, headers, body: '{"usage_type":"stt"}' })
  const dateMs = dateOf(response)
  // `Date` is cut to the second: on average half a second is missing.
  if (dateMs !== undefined) context.found.clockAheadMs = dateMs + 500 - response.atMs
  const strange = strangeResponse(response)
  const advice = 'Check VOICE_BASE_URL: it is the part of the address before /v2/sdk/tokens/session.'
  if (strange !== undefined) return fail(`${shownAddress(url)} ${strange}.`, advice)
  const how = url.protocol === 'https:' ? 'over TLS' : 'without TLS, on this machine'
  const seen = `${shownAddress(context.settings.baseUrl)} answers ${how}`
  if (response.status >= 500) return warn(`${seen}. Its status is ${response.status}.`, TROUBLE)
  if (errorCodeOf(response) === 'AUTH_HEADER_MISSING')
    return timed(seen, response.tookMs, context.limits.slowMs)
  return warn(`${seen}. Without a key it answers ${response.status}, and not AUTH_HEADER_MISSING.`, advice)
}

/** `Date` has whole seconds, and a request takes a while. */
const CLOCK_WARN_MS = 10_000

/** The service's clock and this machine's. */
export async function clock({ found: { clockAheadMs: ahead } }: ServiceContext): Promise<Outcome> {
  const advice = 'Set the clock by NTP (timedatectl set-ntp true): logs and certificates need the right time.'
  if (ahead === undefined) return warn('The service sends no Date header, so its clock is not known.', advice)
  const difference = formatDuration(Math.abs(ahead))
  if (Math.abs(ahead) < CLOCK_WARN_MS) return ok(`This machine and the service differ by ${difference}.`)
  const side = ahead > 0 ? 'behind' : 'ahead of'
  return warn(`This machine's clock is ${difference} ${side} the service's.`, advice)
}

function explainRefusal({ redactor }: ServiceContext, { code, response }: Mint): Outcome {
  const { status } = response
  if (hasCode(TOKEN_ERRORS, code))
    return fail(`${code}: ${TOKEN_ERRORS[code].title}`, TOKEN_ERRORS[code].hint)
  if (code !== undefined)
    return fail(
      `The service answered ${status} with the code ${redactor.show(code)}, which its contract does not have.`,
      'Look the code up in the documentation of the service.',
    )
  if (status === 429 || status >= 500) return fail(`The service answered ${status}.`, TROUBLE)
  const strange =
    strangeResponse(response) ?? `answered ${status} with a body that its contract does not have`
  return fail(
    `The token endpoint ${strange}.`,
    'Check that VOICE_BASE_URL is the address of the token endpoint, and that no proxy changes its responses.',
  )
}

/** The first response for each product. */
async function mintOnce(context: ServiceContext, product: Product): Promise<Mint> {
  const { mints } = context.found
  const minted = mints.get(product) ?? (await mint(context, product))
  mints.set(product, minted)
  return minted
}

/** Is the key good? The token of the first product shows it. (Contract: "Token errors".) */
export async function key(context: ServiceContext): Promise<Outcome> {
  const minted = await mintOnce(context, 'stt')
  // Any other 403 is of the product alone: the result of the next check.
  const isGood = minted.token || (minted.response.status === 403 && !minted.code?.startsWith('AUTH_'))
  return isGood ? ok('The service accepts the key.') : explainRefusal(context, minted)
}

/** Shorter than asked for by more than this is a finding. */
const LIFE_TOLERANCE_MS = 30_000

/** Does the plan have this product? One token with the shortest life. (Contract: "Token errors".) */
export const plan =
  (product: Product) =>
  async (context: ServiceContext): Promise<Outcome> => {
    const { found, limits } = context
    const minted = await mintOnce(context, product)
    const { token, code, response } = minted
    const refusal = explainRefusal(context, minted)
    if (!token) return code === 'PRODUCT_NOT_ALLOWED' ? { ...refusal, status: 'warn' } : refusal
    const { name, ttlMinutes } = PRODUCTS[product]
    const lifeMs = token.expiresAtMs - (response.atMs + (found.clockAheadMs ?? 0))
    const seen = `${name}: a token that lives ${formatDuration(lifeMs)}`
    if (Math.abs(lifeMs - ttlMinutes.min * 60_000) > LIFE_TOLERANCE_MS)
      return warn(
        `${seen}. ${ttlMinutes.min} min were asked for.`,
        "Check this machine's clock. If it is right, the service does not follow expiration_ttl: do not rely on short lives.",
      )
    return timed(seen, response.tookMs, limits.slowMs)
  }

import { FRESH_TOKEN_STATUS, type Product, PRODUCTS, TOKEN_ERRORS, hasCode } from '@stagepass/contract'
import { TOKEN_MESSAGES } from '@stagepass/contract/titles'
import type { TokenErrorCode } from '@stagepass/contract'
import { explainFailure } from '../net/explainFailure.js'
import { fail, ok, type Outcome, warn } from '../report/Result.js'
import type { Check } from './Check.js'
import { type Mint, mintToken, type ServiceContext, tokenUrl } from './ServiceContext.js'
import { formatDuration, strangeResponse } from './wording.js'

const PORTAL = 'in the developer portal of the service'

const ADVICE: Readonly<Record<TokenErrorCode, string>> = {
  VALIDATION_ERROR:
    'The service does not take what its contract describes. Report it to the service, with the time of this run.',
  AUTH_HEADER_MISSING: 'Copy VOICE_API_KEY again: the key alone, without quotes and without a scheme.',
  AUTH_API_KEY_INVALID: `Check VOICE_API_KEY under API Keys ${PORTAL}: is it of this environment, active, and attached to a team?`,
  AUTH_API_KEY_EXPIRED: `Create a new key under API Keys ${PORTAL}, and put it into VOICE_API_KEY.`,
  AUTH_NO_LICENSE: `Assign a license to this key ${PORTAL}, or ask the sales contact of the service for one.`,
  PRODUCT_NOT_ALLOWED:
    'If you need this product, ask the service to add it to the plan. If not, leave it out of the grants.',
  PAYMENT_PAST_DUE: 'Pay the open invoice of the account.',
  BALANCE_EXHAUSTED: 'Add credit to the account.',
  SPEND_CAP_REACHED: 'Raise the monthly limit of the account, or wait for the next month.',
  USAGE_LIMIT_EXCEEDED: 'Ask the service for more minutes, or wait for the next period.',
  VT_USAGE_LIMIT_EXCEEDED: 'Ask the service for more Voice Translation hours, or wait for the next period.',
  CACHE_UNAVAILABLE: 'Try again in a moment. The BFF does this by itself.',
}

/** Mints once, and once more if the service asks for it. */
async function mintOnce(context: ServiceContext, product: Product): Promise<Mint | Outcome> {
  const mint = async (): Promise<Mint> => {
    const first = await mintToken(context, product)
    return first.type === 'refused' && first.code === 'CACHE_UNAVAILABLE'
      ? mintToken(context, product)
      : first
  }
  const minted = await mint().catch((error: unknown) => explainFailure(tokenUrl(context), error))
  if ('seen' in minted) return minted
  context.found.mints.set(product, minted)
  if (minted.type === 'token') context.found.tokens.set(product, minted.token)
  return minted
}

function explainRefusal(
  { redactor }: ServiceContext,
  { code, response }: Extract<Mint, { type: 'refused' }>,
): Outcome {
  if (code !== undefined && hasCode(TOKEN_ERRORS, code))
    return fail(`${code}: ${TOKEN_MESSAGES[code]}`, ADVICE[code])
  if (code !== undefined)
    return fail(
      `The service answered ${response.status} with ${redactor.isSafe(code) ? `the code ${code}` : 'a code'} that its contract does not have.`,
      'Look the code up in the documentation of the service.',
    )
  if (response.status >= 500)
    return fail(
      `The service answered ${response.status}.`,
      'The service has trouble of its own. Try again later.',
    )
  const strange = strangeResponse(response)
  return fail(
    strange === undefined
      ? `The service answered ${response.status} with a body that its contract does not describe.`
      : `The token endpoint ${strange}.`,
    'Check that VOICE_BASE_URL is the address of the token endpoint, and that no proxy changes its responses.',
  )
}

const isKeyProblem = (mint: Mint): boolean =>
  mint.type === 'refused' && (mint.response.status === 401 || mint.code?.startsWith('AUTH_') === true)

/** Is the key good? The token of the first product shows it. (Contract: "Token errors".) */
export const key: Check<ServiceContext> = {
  name: 'key',
  needs: ['token address'],
  async run(context) {
    const mint = await mintOnce(context, 'stt')
    if ('seen' in mint) return mint
    if (isKeyProblem(mint) && mint.type === 'refused') return explainRefusal(context, mint)
    // A refusal of the product alone is the result of the next check.
    if (mint.type === 'refused' && mint.response.status !== 403) return explainRefusal(context, mint)
    return ok('The service accepts the key.')
  },
}

/** Does the plan have this product? One token with the shortest life. (Contract: "Token errors".) */
export function plan(product: Product): Check<ServiceContext> {
  return {
    name: `token ${product}`,
    needs: ['key'],
    async run(context) {
      const mint = context.found.mints.get(product) ?? (await mintOnce(context, product))
      if ('seen' in mint) return mint
      if (mint.type === 'refused') {
        const refusal = explainRefusal(context, mint)
        return mint.code === 'PRODUCT_NOT_ALLOWED' ? { ...refusal, status: 'warn' } : refusal
      }
      return describeToken(context, mint)
    },
  }
}

/** Shorter than asked for by more than this is a finding. */
const LIFE_TOLERANCE_MS = 30_000

function describeToken(
  { found, limits }: ServiceContext,
  { token, response }: Extract<Mint, { type: 'token' }>,
): Outcome {
  const { name, ttlMinutes } = PRODUCTS[token.product]
  const lifeMs = token.expiresAtMs - (response.atMs + (found.clockAheadMs ?? 0))
  const status = /^[\w.-]{1,40}$/.test(token.status) ? token.status : 'one with unusual characters'
  const seen = `${name}: a token that lives ${formatDuration(lifeMs)}, in ${formatDuration(response.tookMs)}.`
  if (Math.abs(lifeMs - ttlMinutes.min * 60_000) > LIFE_TOLERANCE_MS)
    return warn(
      `${seen} ${ttlMinutes.min} minutes were asked for.`,
      "Check this machine's clock. If it is right, the service does not follow expiration_ttl: do not rely on short lives.",
    )
  if (response.tookMs > limits.slowMs)
    return warn(
      `${seen} That is slow.`,
      'Run this on the server that will hold the BFF. If it is slow there too, give the BFF a longer deadlineMs.',
    )
  if (token.status !== FRESH_TOKEN_STATUS)
    return ok(`${seen} Its status is ${status}.`, 'Nothing to do: no code depends on the status of a token.')
  return ok(seen)
}

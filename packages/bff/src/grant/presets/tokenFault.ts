import { decodeProtectedHeader, errors } from 'jose'
import type { TokenFault } from '../../base/TokenFault.js'
import { valueKind } from '../../base/valueKind.js'
import type { RefusedLogin } from './withRefusal.js'

/** The options of `fromJwt` that a token can contradict. */
interface Expected {
  readonly issuer: string
  readonly audience: readonly string[]
  readonly audienceClaim: string
  readonly algorithms: readonly string[]
  readonly nowSeconds: number
}

/** The claims whose fault has their name. Any other is the audience. */
const FAULTS = ['iss', 'typ', 'exp', 'nbf', 'iat'] as const

/**
 * Describes why jose refused a token, for the operator. Returns `undefined` if the token is not the cause:
 * then it is the keys, or their server.
 *
 * Of a claim only `iss` and the audience are shown, and only after the signature was right: they are names
 * that the operator must compare with the options, and the issuer wrote them. A user may have chosen an
 * audience, so each must have the form of a name. All other claims are shown as a kind or a difference of
 * times. A stranger can write anything into a token with a wrong signature, so nothing of it is shown, except
 * a known name of an algorithm.
 */
export function tokenFault(error: unknown, token: string, expected: Expected): RefusedLogin | undefined {
  if (!(error instanceof errors.JOSEError)) return undefined
  const { issuer, audience, audienceClaim, algorithms, nowSeconds } = expected
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired) {
    const { claim, payload } = error
    const value = Object.hasOwn(payload, claim) ? payload[claim] : undefined
    const reason = FAULTS.find((one) => one === claim) ?? 'aud'
    const ahead = typeof value === 'number' ? Math.round(value - nowSeconds) : undefined
    switch (reason) {
      case 'iss':
        return refused(
          reason,
          `its claim "iss" is ${Array.isArray(value) ? valueKind(value) : shown(value)}, and "issuer" is ${shown(issuer)}. If this is your issuer, set "issuer" to exactly the value of its tokens.`,
        )
      case 'aud':
        return refused(
          reason,
          `its claim "${audienceClaim}" is ${shown(value)}, and "audience" is ${shown(audience)}. Set "audience" to the name of your API in the tokens. If the issuer writes it into another claim, such as "client_id" or "azp", name that in "audienceClaim".`,
        )
      case 'typ':
        return refused(
          reason,
          'by its type or its claims it is not an access token but an ID token, a refresh token or a logout token. Send the access token.',
        )
      default:
        return refused(
          reason,
          ahead === undefined
            ? `its claim "${claim}" is not a number: it is ${valueKind(value)}.`
            : ahead < 0
              ? `it expired ${-ahead} seconds ago. The page must send a current one.`
              : `its claim "${claim}" is ${ahead} seconds ahead of the clock of this server. Correct the clock that is wrong.`,
        )
    }
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return refused(
      'alg',
      `its algorithm is ${algorithmOf(token)}, and "algorithms" has ${algorithms.join(', ')}. If your issuer signs with it, name it in "algorithms".`,
    )
  if (error instanceof errors.JWKSNoMatchingKey)
    return refused(
      'key',
      'the keys of "jwksUrl" do not have the key that it names. Check that "jwksUrl" is the address of the keys of its issuer.',
    )
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refused(
      'signature',
      'its signature is wrong. Check that "jwksUrl" belongs to its issuer, and that the page requests a token for your API: one for Microsoft Graph can only be checked there.',
    )
  return /^ERR_(?:JWT_|JWS_|JOSE_NOT)/.test(error.code)
    ? refused(
        'format',
        'it is not a signed JSON Web Token that can be read. Some issuers send such a token only if the page asks them for an "audience".',
      )
    : undefined
}

const refused = (reason: TokenFault, problem: string): RefusedLogin => ({
  reason,
  problem: `A token was refused: ${problem}`,
})

const NAME = /^[\w.:/@~-]{1,100}$/

const shown = (value: unknown): string => {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.length > 0 &&
    values.length <= 4 &&
    values.every((one) => NAME.test(String(one)) && typeof one === 'string')
    ? values.map((one) => `"${String(one)}"`).join(', ')
    : valueKind(value)
}

function algorithmOf(token: string): string {
  const { alg } = decodeProtectedHeader(token)
  return (
    /^(?:none|Ed25519|Ed448|EdDSA|ES256K|[HREP]S(?:256|384|512))$/.exec(String(alg))?.[0] ?? 'another one'
  )
}

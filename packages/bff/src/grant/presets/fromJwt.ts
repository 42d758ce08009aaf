import { isObject, stripBom } from '@stagepass/contract'
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { AuthorizeError } from '../AuthorizeError.js'
import { address } from '../../base/addresses.js'
import type { Grant } from '../Grant.js'
import { objectOf, parseOptions, type ShapeOf } from '../../base/schema.js'
import { type Secret, secret } from '../../base/Secret.js'
import { askServer, type ServerAnswer, TIMEOUT_MS } from './askServer.js'
import { fillCredential } from './fillCredential.js'
import { type HostRequest, readHeader } from './HostRequest.js'
import { type RefusedLogin, withRefusal } from './withRefusal.js'
import { tokenFault } from './tokenFault.js'

/** Only algorithms with a public key. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

/** A signature algorithm with a public key. `none` and algorithms with a shared secret are not included. */
export type JwtAlgorithm = (typeof ALGORITHMS)[number]

/** The claims of a token, as its issuer wrote them. */
export type JwtClaims = Readonly<Record<string, unknown>>

/** Options of `fromJwt`: which tokens are accepted, and which claims are the grant. */
export interface FromJwtOptions {
  /** Address of the issuer's keys (JWKS): https, or http on loopback. Required. */
  readonly jwksUrl: string | undefined
  /** The exact `iss` of the tokens. Required. */
  readonly issuer: string | undefined
  /**
   * The value that `aud` of a token must contain: the name of your API at the issuer. Of a list, one value is
   * enough. Required.
   */
  readonly audience: string | readonly string[] | undefined
  /**
   * The claim that must contain `audience`, for an issuer whose access tokens have no `aud`: `client_id`
   * (Amazon Cognito) or `azp` (Clerk). Then `audience` is what the issuer writes there, such as the id of the
   * client or the origin of the page, and its tokens for any API are accepted. Default `aud`.
   */
  readonly audienceClaim?: string | undefined
  /** Default: RS256, ES256, EdDSA and Ed25519. */
  readonly algorithms?: readonly JwtAlgorithm[] | undefined
  /** The claim with the stable id of the user. Default `sub`. */
  readonly userClaim?: string | undefined
  /**
   * The claim with all other keys of the grant, as an object: `{ "products": ["stt"] }`. A token without this
   * claim grants all products and no meetings. Default `stagepass`.
   */
  readonly grantClaim?: string | undefined
  /**
   * Makes the grant from the claims of a valid token, instead of `userClaim` and `grantClaim`. `null` refuses
   * the user.
   */
  readonly toGrant?: ((claims: JwtClaims) => Grant | null | Promise<Grant | null>) | undefined
  /**
   * The credential of the meetings interface, for tokens that grant `meetings`. It must not be in a token.
   */
  readonly meetingsCredential?: Secret | undefined
}

const NO_NAME =
  'is missing, or is not a text{seen}. Give the value that the tokens have; is its environment variable set?'
const name = z.string(NO_NAME).min(1, NO_NAME)

const OptionsSchema = objectOf({
  jwksUrl: address('https'),
  issuer: name,
  audience: z
    .custom<string | string[]>((value) => z.array(name).min(1).safeParse([value].flat()).success, NO_NAME)
    .transform((value) => [value].flat()),
  audienceClaim: name.default('aud'),
  algorithms: z
    .custom<JwtAlgorithm[]>(
      (value) => z.array(z.enum(ALGORITHMS)).min(1).safeParse(value).success,
      `is not a list of signatures with a public key{seen}. Use ${ALGORITHMS.join(', ')}.`,
    )
    .default(['RS256', 'ES256', 'EdDSA', 'Ed25519']),
  userClaim: name.default('sub'),
  grantClaim: name.default('stagepass'),
  toGrant: z
    .custom<NonNullable<FromJwtOptions['toGrant']>>(
      (value) => typeof value === 'function',
      'is not a function{seen}.',
    )
    .optional(),
  meetingsCredential: secret('Pass the bearer credential, or a function that returns it.').optional(),
} satisfies ShapeOf<FromJwtOptions>)

/** Allowed difference between the clocks of the issuer and the server. */
const SKEW_SECONDS = 30

/**
 * KEYS_MS: the keys are fetched again after this time, so a withdrawn key is accepted for at most this long.
 * They are also fetched again for an unknown key, but at most once in KEYS_PAUSE_MS.
 */
const KEYS_MS = 600_000
const KEYS_PAUSE_MS = 5_000

/** An answer without usable keys is kept for this time, so that strangers cannot make more requests for keys. */
const KEYS_KEPT_MS = 1_000

const MAX_KEYS_BYTES = 262_144

/**
 * An `authorize` that checks the bearer token of the page: `createBff({ …, authorize: fromJwt({ … }) })`. It
 * checks signature, issuer, audience, type and times. Without a valid access token the user is not signed in.
 * If an option is wrong, throws a `TypeError` with a remedy.
 */
export function fromJwt(options: FromJwtOptions): (request: HostRequest) => Promise<Grant | null> {
  const checked = parseOptions(OptionsSchema, options, 'fromJwt')
  const { jwksUrl, issuer, algorithms } = checked
  const asked = {
    name: 'The server of the keys',
    url: jwksUrl,
    maxBytes: MAX_KEYS_BYTES,
  }

  let last: { readonly at: number; readonly answer: Promise<ServerAnswer> } | undefined
  const keys = createRemoteJWKSet(jwksUrl, {
    cacheMaxAge: KEYS_MS,
    cooldownDuration: KEYS_PAUSE_MS,
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: async () => {
      // The clock may have been set back.
      if (!last || Math.abs(Date.now() - last.at) >= KEYS_KEPT_MS)
        last = { at: Date.now(), answer: askServer(asked) }
      const { status, text } = await last.answer
      const json = stripBom(text)
      if (isEmptySet(json))
        throw new AuthorizeError(
          'The keys of the issuer are an empty list. Check that "jwksUrl" is the address of its keys, and ask the issuer.',
        )
      return new Response(json, { status })
    },
  })

  /** Returns the claims of a valid token, or why it was refused. */
  const verify = async (token: string): Promise<{ claims: JWTPayload } | { refused: RefusedLogin }> => {
    const currentDate = new Date()
    const nowSeconds = currentDate.getTime() / 1_000
    const checks = { issuer, algorithms, clockTolerance: SKEW_SECONDS, requiredClaims: ['exp'], currentDate }
    /** Tries each key, for a token that does not name its key. */
    const tryEach = async (all: AsyncIterable<CryptoKey>) => {
      for await (const key of all)
        try {
          return await jwtVerify(token, key, checks)
        } catch (fault) {
          if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault
        }
      throw new errors.JWSSignatureVerificationFailed()
    }
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, checks).catch((error: unknown) => {
        if (error instanceof errors.JWKSMultipleMatchingKeys) return tryEach(error)
        throw error
      })
      const fault = faultOf(payload, protectedHeader.typ, checked, nowSeconds + SKEW_SECONDS)
      if (fault !== undefined) throw new errors.JWTClaimValidationFailed('', payload, fault)
      return { claims: payload }
    } catch (error) {
      if (error instanceof AuthorizeError) throw error
      const refused = tokenFault(error, token, { ...checked, nowSeconds })
      if (refused) return { refused }
      throw new AuthorizeError(
        'The keys of the issuer cannot be used. Is "jwksUrl" the address of a JSON Web Key Set?',
        { cause: error },
      )
    }
  }

  const refusals = new WeakMap<HostRequest, RefusedLogin>()
  const authorize = async (request: HostRequest): Promise<Grant | null> => {
    const token = bearerOf(request)
    if (token === undefined) return null
    const verified = await verify(token)
    if ('refused' in verified) {
      refusals.set(request, verified.refused)
      return null
    }
    const { claims } = verified
    const grant = checked.toGrant ? await checked.toGrant(claims) : grantOf(claims, checked)
    return fillCredential(grant, checked.meetingsCredential) as Grant | null
  }
  // RFC 6750, 3.1: a request without a token gets no error code.
  return withRefusal(authorize, (request) => ({
    challenge:
      bearerOf(request) === undefined
        ? 'Bearer realm="stagepass"'
        : 'Bearer realm="stagepass", error="invalid_token"',
    login: refusals.get(request),
  }))
}

const bearerOf = (request: HostRequest): string | undefined =>
  /^bearer +([\w.~+/=-]+)$/i.exec(readHeader(request, 'authorization') ?? '')?.[1]

/** Without this check every token would be refused, without a reason in the log. */
function isEmptySet(json: string): boolean {
  try {
    const { keys } = JSON.parse(json) as { keys?: unknown }
    return Array.isArray(keys) && keys.length === 0
  } catch {
    return false
  }
}

/** Returns the first wrong claim of those that jose does not check: the audience, the type, the future. */
function faultOf(
  claims: JWTPayload,
  typ: unknown,
  { audience, audienceClaim }: { readonly audience: readonly string[]; readonly audienceClaim: string },
  latestSeconds: number,
): string | undefined {
  const named: unknown = Object.hasOwn(claims, audienceClaim) ? claims[audienceClaim] : undefined
  const all: readonly unknown[] = Array.isArray(named) ? named : [named]
  if (!audience.some((one) => all.includes(one))) return audienceClaim
  if (!isAccessToken(claims, typ)) return 'typ'
  const { iat = 0 }: { iat?: unknown } = claims
  return typeof iat === 'number' && iat <= latestSeconds ? undefined : 'iat'
}

/** Claims in which an issuer says what a token is for: Keycloak, Cognito, Django and Flask. */
const USE_CLAIMS = ['typ', 'token_use', 'token_type', 'type']
const OTHER_USES = /^(?:id|refresh|offline|logout)$/i

/**
 * An issuer signs other tokens with the same keys; they must not be accepted. Some issuers write into a claim
 * that it is a refresh token. A logout token has `events`, and an ID token usually has `at_hash` or `nonce`.
 * Keycloak writes `nonce` into access tokens too. But those say what they are: an ID token has none of
 * `scope`, `scp` and `client_id`, and Keycloak has a claim `typ`. The `typ` of the header is `at+jwt` for an
 * access token, but many issuers write `JWT` or nothing. (RFC 8725, 3.11.)
 */
function isAccessToken(claims: JWTPayload, typ: unknown = 'JWT'): boolean {
  if (typeof typ !== 'string') return false
  const type = typ.toLowerCase().replace(/^application\//, '')
  if (type === 'at+jwt') return true
  const has = (...names: readonly string[]): boolean => names.some((one) => Object.hasOwn(claims, one))
  if (type !== 'jwt' || has('events', 'at_hash')) return false
  if (USE_CLAIMS.some((name) => OTHER_USES.test(String(claims[name])))) return false
  return !has('nonce') || has('scope', 'scp', 'client_id') || claims.typ === 'Bearer'
}

/** Builds the grant. The BFF checks its content later. */
function grantOf(
  claims: JWTPayload,
  { userClaim, grantClaim }: { readonly userClaim: string; readonly grantClaim: string },
): object {
  const user = Object.hasOwn(claims, userClaim) ? claims[userClaim] : undefined
  const rest = Object.hasOwn(claims, grantClaim) ? claims[grantClaim] : {}
  if (typeof user !== 'string' || user === '')
    throw new AuthorizeError(
      `The claim "${userClaim}" of a valid token is missing or not a text. Set "userClaim" to the claim with the user's id.`,
    )
  if (!isObject(rest) || 'user' in rest)
    throw new AuthorizeError(
      `The claim "${grantClaim}" of a valid token is not an object with the other keys of the grant.`,
    )
  if ('apiKey' in rest)
    throw new AuthorizeError(
      `The claim "${grantClaim}" of a valid token contains an API key, which the page can read. Remove it, replace the key, and use an "authorize" of your own that adds "apiKey".`,
    )
  if (isObject(rest.meetings) && 'credential' in rest.meetings)
    throw new AuthorizeError(
      `The claim "${grantClaim}" of a valid token contains a credential, which the page can read. Remove it, replace the credential, and set "meetingsCredential".`,
    )
  return { ...rest, user }
}

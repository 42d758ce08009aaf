import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { AuthorizeError } from '../errors/AuthorizeError.js'
import { systemPlatform } from '../platform/platform.js'
import { address } from '../settings/addresses.js'
import type { Grant } from '../settings/Grant.js'
import { objectOf, parseOptions, type ShapeOf } from '../settings/schema.js'
import { type Secret, secret } from '../settings/Secret.js'
import { askServer } from './askServer.js'
import { fillCredential, isObject } from './fillCredential.js'
import { type HostRequest, readHeader } from './HostRequest.js'

/** Signatures with a public key. */
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
] as const

/** A signature algorithm with a public key. There is no `none`, and none with a shared secret. */
export type JwtAlgorithm = (typeof ALGORITHMS)[number]

/** Whose tokens are taken, and what of them is the grant. */
export interface FromJwtOptions {
  /** Where the issuer publishes its keys (JWKS): https, or http on loopback. Required. */
  readonly jwksUrl: string | undefined
  /** The exact `iss` of the tokens. Required. */
  readonly issuer: string | undefined
  /** What `aud` of a token must hold: your own name at the issuer. Required. */
  readonly audience: string | undefined
  /** Default: RS256, ES256 and EdDSA. */
  readonly algorithms?: readonly JwtAlgorithm[] | undefined
  /** The claim with the stable id of the user. Default `sub`. */
  readonly userClaim?: string | undefined
  /**
   * The claim with the other keys of the grant, as an object: `{ "products": ["stt"] }`. A token without the
   * claim grants all products and no meetings. Default `stagepass`.
   */
  readonly grantClaim?: string | undefined
  /** The credential of the meetings interface, for tokens that grant `meetings`. A token must not hold it. */
  readonly meetingsCredential?: Secret | undefined
  /** Milliseconds since the epoch. For tests. */
  readonly wallNow?: (() => number) | undefined
}

const NO_NAME = 'is missing. Give the value that the tokens have; is its environment variable set?'
const name = z.string(NO_NAME).min(1, NO_NAME)

const OptionsSchema = objectOf({
  jwksUrl: address('https'),
  issuer: name,
  audience: name,
  algorithms: z
    .custom<JwtAlgorithm[]>(
      (value) => z.array(z.enum(ALGORITHMS)).min(1).safeParse(value).success,
      `is not a list of signatures with a public key. Use ${ALGORITHMS.join(', ')}.`,
    )
    .default(['RS256', 'ES256', 'EdDSA']),
  userClaim: name.default('sub'),
  grantClaim: name.default('stagepass'),
  meetingsCredential: secret('Pass the bearer credential, or a function that gives it.').optional(),
  wallNow: z.custom<() => number>().optional(),
} satisfies ShapeOf<FromJwtOptions>)

/** How far the clocks of issuer and server may differ. */
const SKEW_SECONDS = 30

/**
 * Keys are asked for again after this time, which is when a withdrawn key has no effect, and for an unknown
 * key, but not more often than the second.
 */
const KEYS_MS = 600_000
const KEYS_PAUSE_MS = 5_000

const KEYS_TIMEOUT_MS = 5_000
const MAX_KEYS_BYTES = 262_144

/** The token is at fault. Any other error is one of the keys, or of their server. */
const isFaultOfToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError && /^ERR_(?:JWT_|JWS_|JOSE_ALG|JOSE_NOT|JWKS_NO_)/.test(error.code)

/**
 * An `authorize` that checks the bearer token of the page: `createBff({ …, authorize: fromJwt({ … }) })`.
 * It checks signature, issuer, audience, type and times. Without a good access token nobody is signed in.
 * Throws a `TypeError` that says what to do if an option is wrong.
 */
export function fromJwt(options: FromJwtOptions): (request: HostRequest) => Promise<Grant | null> {
  const checked = parseOptions(OptionsSchema, options, 'fromJwt')
  const { jwksUrl, issuer, audience, algorithms, wallNow = systemPlatform.wallNow } = checked
  const asked = {
    name: 'The server of the keys',
    url: jwksUrl,
    timeoutMs: KEYS_TIMEOUT_MS,
    maxBytes: MAX_KEYS_BYTES,
  }

  const keys = createRemoteJWKSet(jwksUrl, {
    cacheMaxAge: KEYS_MS,
    cooldownDuration: KEYS_PAUSE_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
    [customFetch]: async () => {
      const { status, text } = await askServer(asked)
      return new Response(text, { status })
    },
  })

  /** The claims of a good token. */
  const verify = async (token: string): Promise<JWTPayload | undefined> => {
    const currentDate = new Date(wallNow())
    const bounds = { algorithms, clockTolerance: SKEW_SECONDS, requiredClaims: ['exp'], currentDate }
    const checks = { issuer, audience, ...bounds }
    /** The token does not name its key. */
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
      if (!isAccessToken(payload, protectedHeader.typ)) return undefined
      const { iat = 0 } = payload
      return iat > currentDate.getTime() / 1_000 + SKEW_SECONDS ? undefined : payload
    } catch (error) {
      if (error instanceof AuthorizeError) throw error
      if (isFaultOfToken(error)) return undefined
      throw new AuthorizeError(
        'The keys of the issuer cannot be used. Is "jwksUrl" the address of a JSON Web Key Set?',
        { cause: error },
      )
    }
  }

  return async (request) => {
    const [, token] = /^bearer +([\w.~+/=-]+)$/i.exec(readHeader(request, 'authorization') ?? '') ?? []
    const claims = token === undefined ? undefined : await verify(token)
    if (!claims) return null
    return fillCredential(toGrant(claims, checked), checked.meetingsCredential) as Grant
  }
}

/**
 * False for the other tokens that an issuer signs with the same keys. A logout token has `events`, an ID
 * token usually `nonce` or `at_hash`. Of `typ`, `at+jwt` is certain; many issuers write `JWT`, or nothing.
 * (RFC 8725, 3.11.)
 */
function isAccessToken(claims: JWTPayload, typ: unknown = 'JWT'): boolean {
  const type = String(typ)
    .toLowerCase()
    .replace(/^application\//, '')
  if (type === 'at+jwt') return true
  return type === 'jwt' && !['events', 'nonce', 'at_hash'].some((name) => name in claims)
}

/** The BFF checks what is in it. */
function toGrant(
  claims: JWTPayload,
  { userClaim, grantClaim }: { readonly userClaim: string; readonly grantClaim: string },
): object {
  const { [userClaim]: user, [grantClaim]: rest = {} } = claims
  if (typeof user !== 'string' || user === '')
    throw new AuthorizeError(
      `A good token has no text in its claim "${userClaim}". Name the claim with the user's id in "userClaim".`,
    )
  if (!isObject(rest) || 'user' in rest)
    throw new AuthorizeError(
      `The claim "${grantClaim}" of a good token is not an object with the other keys of the grant.`,
    )
  if (isObject(rest.meetings) && 'credential' in rest.meetings)
    throw new AuthorizeError(
      `The claim "${grantClaim}" of a good token holds a credential, which its page can read. Take it out, replace the credential, and set "meetingsCredential".`,
    )
  return { ...rest, user }
}

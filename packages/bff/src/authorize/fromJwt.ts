import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { atMost } from '../platform/atMost.js'
import { AuthorizeError } from '../errors/AuthorizeError.js'
import { systemPlatform } from '../platform/platform.js'
import type { Grant } from '../settings/Grant.js'
import { readUrl } from '../settings/readUrl.js'
import { knownKeys, refuse } from '../settings/refuse.js'
import type { Secret } from '../settings/Secret.js'
import { askServer } from './askServer.js'
import { fillCredential, isObject, readCredential } from './fillCredential.js'
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

const NAMES = 'jwksUrl issuer audience algorithms userClaim grantClaim meetingsCredential wallNow'

/** How far the clocks of issuer and server may differ. */
const SKEW_SECONDS = 30

/**
 * Keys are asked for again after this time, and for an unknown key, but not more often than the second. With
 * CHECKED_MS it makes the ten minutes after which a withdrawn key has no effect.
 */
const KEYS_MS = 540_000
const KEYS_PAUSE_MS = 5_000

const KEYS_TIMEOUT_MS = 5_000
const MAX_KEYS_BYTES = 262_144

/**
 * A checked token is not checked again for this time, or until it expires. Beyond the number the one that is
 * longest unused is.
 */
const CHECKED_MS = 60_000
const MAX_CHECKED = 10_000

interface Checked {
  readonly from: number
  readonly until: number
  /** The claims, as JSON: each request gets objects of its own. */
  readonly claims: string
}

/** The token is at fault. Any other error is one of the keys, or of their server. */
const TOKEN_FAULTS = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
]

/**
 * An `authorize` that checks the bearer token of the page: `createBff({ …, authorize: fromJwt({ … }) })`.
 * It checks signature, issuer, audience, type and times. Without a good access token nobody is signed in.
 * Throws a `TypeError` that says what to do if an option is wrong.
 */
export function fromJwt(options: FromJwtOptions): (request: HostRequest) => Promise<Grant | null> {
  knownKeys('fromJwt', options, NAMES.split(' '))
  const url = readUrl('jwksUrl', options.jwksUrl, 'https', [])
  const issuer = readName('issuer', options.issuer)
  const audience = readName('audience', options.audience)
  const algorithms = readAlgorithms(options.algorithms ?? ['RS256', 'ES256', 'EdDSA'])
  const userClaim = readName('userClaim', options.userClaim ?? 'sub')
  const grantClaim = readName('grantClaim', options.grantClaim ?? 'stagepass')
  const credential = readCredential(options.meetingsCredential)
  const { wallNow } = { ...systemPlatform, ...(options.wallNow && { wallNow: options.wallNow }) }

  const keys = createRemoteJWKSet(url, {
    cacheMaxAge: KEYS_MS,
    cooldownDuration: KEYS_PAUSE_MS,
    timeoutDuration: KEYS_TIMEOUT_MS,
    [customFetch]: async () => {
      const { status, text } = await askServer({
        name: 'The server of the keys',
        url,
        timeoutMs: KEYS_TIMEOUT_MS,
        maxBytes: MAX_KEYS_BYTES,
      })
      return new Response(text, { status })
    },
  })

  /** The claims of a good token. */
  const verify = async (token: string): Promise<JWTPayload | undefined> => {
    const currentDate = new Date(wallNow())
    const checks = {
      issuer,
      audience,
      algorithms,
      clockTolerance: SKEW_SECONDS,
      requiredClaims: ['exp'],
      currentDate,
    }
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, checks).catch(
        async (error: unknown) => {
          if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
          // The token does not name its key.
          for await (const key of error)
            try {
              return await jwtVerify(token, key, checks)
            } catch (fault) {
              if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault
            }
          throw new errors.JWSSignatureVerificationFailed()
        },
      )
      if (!isAccessToken(payload, protectedHeader.typ)) return undefined
      const { iat = 0 } = payload
      return iat > currentDate.getTime() / 1_000 + SKEW_SECONDS ? undefined : payload
    } catch (error) {
      if (error instanceof AuthorizeError) throw error
      if (TOKEN_FAULTS.some((fault) => error instanceof fault)) return undefined
      throw new AuthorizeError(
        'The keys of the issuer cannot be used. Is "jwksUrl" the address of a JSON Web Key Set?',
        { cause: error },
      )
    }
  }

  const checked = new LRUCache<string, Checked>(atMost(MAX_CHECKED))

  /** A signature costs more than all other work of a request, and a page sends the same token many times. */
  const verifyOnce = async (token: string): Promise<JWTPayload | undefined> => {
    const now = wallNow()
    const found = checked.get(token)
    // A clock that was set back must not prolong a token.
    if (found && now >= found.from && now < found.until) return JSON.parse(found.claims) as JWTPayload
    const claims = await verify(token)
    if (!claims) return undefined
    const until = Math.min(now + CHECKED_MS, ((claims.exp ?? 0) + SKEW_SECONDS) * 1_000)
    checked.set(token, { from: now, until, claims: JSON.stringify(claims) })
    return claims
  }

  return async (request) => {
    const [, token] = /^bearer +([\w.~+/=-]+)$/i.exec(readHeader(request, 'authorization') ?? '') ?? []
    const claims = token === undefined ? undefined : await verifyOnce(token)
    if (!claims) return null
    return fillCredential(toGrant(claims, userClaim, grantClaim), credential) as Grant
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
function toGrant(claims: JWTPayload, userClaim: string, grantClaim: string): object {
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

function readName(name: string, value: string | undefined): string {
  if (typeof value !== 'string' || value === '')
    refuse(`"${name}" is missing`, 'Give the value that the tokens have; is its environment variable set?')
  return value
}

function readAlgorithms(algorithms: readonly string[]): string[] {
  const known: readonly string[] = ALGORITHMS
  if (
    !Array.isArray(algorithms) ||
    algorithms.length === 0 ||
    !algorithms.every((name) => known.includes(name))
  )
    refuse('"algorithms" is not a list of signatures with a public key', `Use ${ALGORITHMS.join(', ')}`)
  return [...algorithms]
}

import { z } from 'zod'
import { SESSION_ID_MAX_LENGTH } from '../service/limits.js'
import { PRODUCT_NAMES, PRODUCTS } from '../service/products.js'
import { text } from './text.js'
import { UsageReport } from './usage.js'

/** The name of a product. */
export const UsageType = z.enum(PRODUCT_NAMES)

const sessionId = text(SESSION_ID_MAX_LENGTH)

function ttlWithinProduct(request: {
  usage_type: keyof typeof PRODUCTS
  expiration_ttl?: number | undefined
}): boolean {
  const { min, max } = PRODUCTS[request.usage_type].ttlMinutes
  return (
    request.expiration_ttl === undefined || (request.expiration_ttl >= min && request.expiration_ttl <= max)
  )
}

const ttlError = { path: ['expiration_ttl'], error: 'out of the range of the product' }

/** Body of the BFF's `POST /session-token`. Unknown keys are refused. `expiration_ttl` is in minutes. */
export const SessionTokenRequest = z
  .strictObject({
    usage_type: UsageType,
    expiration_ttl: z.int().optional(),
    session_id: sessionId.optional(),
    /**
     * The report of the token that the page holds, which the new token replaces. Its unused minutes go to the
     * new token. Ignored if the receipt is not one of this user and product, or was reported.
     */
    replaces: UsageReport.optional(),
  })
  .refine(ttlWithinProduct, ttlError)
export type SessionTokenRequest = z.infer<typeof SessionTokenRequest>

/**
 * The 200 of the BFF's `POST /session-token`. The server computes `expires_in_ms`, so that the browser's
 * clock does not matter.
 */
export const SessionTokenResponse = z.object({
  session_key: z.string().min(1),
  usage_type: UsageType,
  type: z.literal('session'),
  /** The state of the license. Left out unless the service sent one word. */
  status: z.string().optional(),
  expires_at: z.iso.datetime({ offset: true }),
  expires_in_ms: z.number().int().nonnegative(),
  stream_url: z.string(),
  /** The service's id of the request, to be quoted to its support. Only in the form of an identifier. */
  req_id: z.string().optional(),
  /** Present if the grant counts the user's minutes. The page sends it with `POST /usage`. */
  usage_receipt: z.string().optional(),
  /** Present if the BFF shares the sessions of the account. See `SessionRoom`. */
  sessions: z.enum(['free', 'full']).optional(),
  /** Present if the request asked for a session. See `LeaseAnswer`. */
  lease: z.string().optional(),
  renew_in_ms: z.int().nonnegative().optional(),
})
export type SessionTokenResponse = z.infer<typeof SessionTokenResponse>

/**
 * Body of the upstream's `POST /v2/sdk/tokens/session`. Team and user are never read from it; unknown keys
 * are ignored.
 */
export const UpstreamTokenRequest = z
  .object({
    usage_type: UsageType,
    expiration_ttl: z.int().optional(),
    metadata: z.object({ session_id: sessionId.optional() }).optional(),
  })
  .refine(ttlWithinProduct, ttlError)
export type UpstreamTokenRequest = z.infer<typeof UpstreamTokenRequest>

/** The upstream's session token object. `status` is an open set. */
export const UpstreamSessionToken = z.object({
  session_key: z.string().min(1),
  expires_at: z.iso.datetime({ offset: true }),
  key_id: z.int(),
  status: z.string(),
  type: z.literal('session'),
  usage_type: UsageType,
})
export type UpstreamSessionToken = z.infer<typeof UpstreamSessionToken>

/** The upstream's success envelope. */
export const UpstreamTokenEnvelope = z.object({
  code: z.literal(0),
  message: z.string(),
  data: UpstreamSessionToken,
  req_id: z.string(),
})
export type UpstreamTokenEnvelope = z.infer<typeof UpstreamTokenEnvelope>

/**
 * The upstream's error envelope. `error_code` may be any string, because the BFF also responds to an unknown
 * code.
 */
export const UpstreamErrorEnvelope = z.object({
  code: z.int().refine((code) => code !== 0, 'non-zero on error'),
  error_code: z.string(),
  message: z.string(),
  req_id: z.string(),
})
export type UpstreamErrorEnvelope = z.infer<typeof UpstreamErrorEnvelope>

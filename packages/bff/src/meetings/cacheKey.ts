import { createHmac } from 'node:crypto'
import type { UpstreamOperation } from '../context/events.js'

/** Two reads with equal parts may share a response. */
export interface CacheKeyParts {
  readonly operation: UpstreamOperation
  /** Equal for equal credentials. It does not reveal the credential. */
  readonly identity: string
  /** Effective ownership and fields, and the rest of the query in one spelling and order. */
  readonly canonical: readonly unknown[]
}

/**
 * An HMAC, so the key does not reveal the query. JSON separates the parts, so different parts never give the same text.
 */
export function cacheKey(secret: Uint8Array, { operation, identity, canonical }: CacheKeyParts): string {
  const encoded = JSON.stringify([operation, identity, ...canonical.map((part) => part ?? null)])
  return createHmac('sha256', secret).update(encoded).digest('base64url')
}

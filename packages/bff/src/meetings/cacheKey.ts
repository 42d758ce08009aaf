import { createHmac } from 'node:crypto'
import type { UpstreamOperation } from '../context/events.js'

/** What makes two reads the same: whoever asks the same under the same grant may have the same answer, and nobody else. */
export interface Question {
  readonly operation: UpstreamOperation
  /** Tells credentials apart without being one. */
  readonly identity: string
  /** Effective ownership and fields, and the rest of the query in one spelling, always in the same places. */
  readonly canonical: readonly unknown[]
}

/**
 * Names a question by an HMAC: equal for equal questions, and worth nothing to whoever does not know `secret`. JSON marks every boundary, so
 * no two questions have one encoding, whatever stands in them.
 */
export function cacheKey(secret: Uint8Array, { operation, identity, canonical }: Question): string {
  const encoded = JSON.stringify([operation, identity, ...canonical.map((part) => part ?? null)])
  return createHmac('sha256', secret).update(encoded).digest('base64url')
}

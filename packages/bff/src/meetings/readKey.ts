import type { UpstreamOperation } from '../events/events.js'

/** Two reads with equal parts may share a response. */
export interface ReadKeyParts {
  readonly account: string
  readonly operation: UpstreamOperation
  /** Equal for equal credentials. It does not reveal the credential. */
  readonly credential: string
  /** Effective ownership and fields, and the rest of the query in one spelling and order. */
  readonly canonical: readonly unknown[]
}

/**
 * JSON separates the parts, so different parts never give the same text. It stays in this process: it holds
 * the query.
 */
export const readKey = ({ account, operation, credential, canonical }: ReadKeyParts): string =>
  JSON.stringify([account, operation, credential, ...canonical])

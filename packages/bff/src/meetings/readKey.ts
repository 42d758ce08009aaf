import type { UpstreamOperation } from '../telemetry/events.js'

/** Two reads with equal parts may share a response. */
export interface ReadKeyParts {
  /** Missing for the common account. */
  readonly account: string | undefined
  readonly operation: UpstreamOperation
  /** Equal for equal credentials of the account. Does not reveal the credential. */
  readonly credential: number
  /** The effective ownership and fields, and the rest of the query in a fixed form and order. */
  readonly canonical: readonly unknown[]
}

/**
 * JSON separates the parts, so different parts never give the same key. The key contains the query, so it
 * must not leave this process.
 */
export const readKey = ({ account, operation, credential, canonical }: ReadKeyParts): string =>
  JSON.stringify([account, operation, credential, ...canonical])

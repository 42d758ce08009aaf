import { ASSUMED_CONCURRENCY_STATUS } from '../service/assumptions.js'
import type { ErrorTable } from './ErrorRow.js'

/**
 * The four ways in which a socket is refused. (Contract: "Handshake errors".) The spelling is the same on
 * every wire.
 */
export const HANDSHAKE_ERRORS = {
  missing_authorization_header: { status: 401, retryable: false },
  invalid_api_key: { status: 401, retryable: false },
  // Worth one more try, with a fresh token.
  unauthorized: { status: 403, retryable: true },
  concurrency_limit_exceeded: { status: ASSUMED_CONCURRENCY_STATUS, retryable: true },
} as const satisfies ErrorTable
/** A code of `HANDSHAKE_ERRORS`: why the service refused a handshake. */
export type HandshakeErrorCode = keyof typeof HANDSHAKE_ERRORS

import type { BffErrorCode } from './bffErrors.js'
import type { ErrorTable } from './ErrorRow.js'
import type { HandshakeErrorCode } from './handshakeErrors.js'

/** Errors that the browser itself finds. No response has such a code, so the status is 0. */
export const CLIENT_ERRORS = {
  NETWORK_ERROR: { status: 0, retryable: true },
  /**
   * What responded is no BFF: a wrong mount, a missing proxy, a gateway. Retryable if its status says that
   * the server has a problem.
   */
  NOT_STAGEPASS: { status: 0, retryable: false },
  MALFORMED_RESPONSE: { status: 0, retryable: false },
  TOKEN_MISMATCH: { status: 0, retryable: false },
  TOKEN_EXPIRED: { status: 0, retryable: true },
  CONNECT_TIMEOUT: { status: 0, retryable: true },
  CONNECTION_REFUSED: { status: 0, retryable: true },
  CONNECTION_LOST: { status: 0, retryable: true },
  /** Retryable if the service's number is a 5xx. `/handshake-check` reports it too. */
  STREAM_ERROR: { status: 0, retryable: false },
  ABORTED: { status: 0, retryable: true },
} as const satisfies ErrorTable
/** A code of `CLIENT_ERRORS`: what happens in the browser alone. */
export type ClientErrorCode = keyof typeof CLIENT_ERRORS

/** The closed union of codes that a `VoiceError` can carry. */
export type VoiceErrorCode = BffErrorCode | HandshakeErrorCode | ClientErrorCode

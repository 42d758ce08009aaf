import { ASSUMED_CONCURRENCY_STATUS } from '../service/assumptions.js'
import type { ErrorRow } from './ErrorRow.js'

/**
 * The four named reasons for which the service refuses a socket. The spelling is the same on every wire.
 * (Contract: "Handshake errors".)
 */
export const HANDSHAKE_ERRORS = {
  missing_authorization_header: {
    status: 401,
    retryable: false,
    title: 'The stream was opened without a session token.',
  },
  invalid_api_key: {
    status: 401,
    retryable: false,
    title: 'The stream was opened with a value that does not use the api-key scheme.',
  },
  // The client tries once more, with a fresh token.
  unauthorized: {
    status: 403,
    retryable: true,
    title: 'The session token is invalid or has expired.',
  },
  concurrency_limit_exceeded: {
    status: ASSUMED_CONCURRENCY_STATUS,
    retryable: true,
    title: 'Too many streams are open at once. Close one and try again.',
  },
} as const satisfies Readonly<Record<string, Omit<ErrorRow, 'hint'>>>
/** A code of `HANDSHAKE_ERRORS`: why the service refused a handshake. */
export type HandshakeErrorCode = keyof typeof HANDSHAKE_ERRORS

/** The `hint` of each code. Apart, because a production build of a page has no hints. */
export const HANDSHAKE_HINTS: Readonly<Record<HandshakeErrorCode, string>> = {
  missing_authorization_header: 'Check whether a proxy removes the token.',
  invalid_api_key: 'Check whether a proxy or a script changes the token.',
  unauthorized:
    'The stream tries once more with a new token before it fails. Check that `streamingUrl` and `baseUrl` belong to the same service.',
  concurrency_limit_exceeded:
    'Close another stream. The hook tries again, and gives up after more than `reconnect.maxAttempts` failures in a row.',
}

/**
 * `authorize` could not find out who the user is. The response is AUTHORIZE_FAILED, and the message is the
 * `problem` of the event `authorize.failed`: it says what was seen and what to do, and holds no cookie, token
 * or answer.
 */
export class AuthorizeError extends Error {
  override readonly name = 'AuthorizeError'
}

/** Also for an error of another copy of this module: the two builds of the package have one each. */
export function isAuthorizeError(thrown: unknown): thrown is AuthorizeError {
  return thrown instanceof Error && thrown.name === 'AuthorizeError'
}

// An error of the host may have the same name, and any message.
const BRAND = Symbol.for('stagepass.AuthorizeError')

/**
 * Thrown if `authorize` could not find out who the user is. The response is AUTHORIZE_FAILED. The message is
 * the `problem` of the event `authorize.failed`: it names the cause and a remedy, and contains no cookie,
 * token or answer.
 */
export class AuthorizeError extends Error {
  override readonly name = 'AuthorizeError'

  get [BRAND](): true {
    return true
  }
}

/**
 * Also true for an error of another copy of this module. The package has two builds, each with its own copy.
 */
export function isAuthorizeError(thrown: unknown): thrown is AuthorizeError {
  return thrown instanceof Error && BRAND in thrown
}

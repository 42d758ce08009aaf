import { createHmac, sha256 } from '../base/keys.js'
import { type GrantUser, userKey } from '../grant/userKey.js'

/** Returns the name under which a user is counted. */
export type UserName = (user: GrantUser) => string | Promise<string>

/** The name under which an account is counted. No user has an empty id. */
export const accountKey = (name: UserName, account: string | undefined): string | Promise<string> =>
  name({ user: '', account })

/** Characters of a name: 132 bits. */
const NAME_LENGTH = 22

/**
 * A name that leaves the process does not reveal the user id: it is an HMAC with a key derived from the
 * secret. Without a secret it is a plain hash, and anyone who can read Redis can find short ids by trying
 * them.
 */
export function createUserNames(isShared: boolean, secret: string | undefined): UserName {
  if (!isShared) return userKey
  const hash = secret === undefined ? sha256 : createHmac(secret, 'user ids')
  // The key is JSON, so two different ids never have the same bytes, even ids with half of a surrogate pair.
  return async (user) => (await hash(userKey(user))).slice(0, NAME_LENGTH)
}

import { createHmac, sha256 } from './keys.js'

/** The name under which a user is counted. Nothing but the count needs to know who it is. */
export type UserName = (user: string) => string | Promise<string>

/** The length of a name: 132 bits. */
const NAME_LENGTH = 22

/**
 * A name that leaves the process does not reveal the id: it is an HMAC under a key that is made of the
 * secret. Without a secret it is a hash, and anyone who can read Redis can find a short id by trying.
 */
export function createUserNames(isShared: boolean, secret: string | undefined): UserName {
  if (!isShared) return (user) => user
  const hash = secret === undefined ? sha256 : createHmac(secret, 'user ids')
  // As JSON, in which two ids are never the same bytes, half characters included.
  return async (user) => (await hash(JSON.stringify(user))).slice(0, NAME_LENGTH)
}

import { createHash } from 'node:crypto'

/** A name for a user that does not reveal the id. The id itself is never in Redis. */
export function userKey(user: string): string {
  return createHash('sha256').update(user).digest('base64url').slice(0, 22)
}

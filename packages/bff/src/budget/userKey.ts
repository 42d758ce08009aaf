import { createHash } from 'node:crypto'

/** Tells a user apart from others without saying who it is: the user's id itself goes into no shared state, Redis included. */
export function userKey(user: string): string {
  return createHash('sha256').update(user).digest('base64url').slice(0, 22)
}

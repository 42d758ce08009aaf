import { USER_HEADER } from '@stagepass/contract'
import { BffError } from '../errors/BffError.js'
import { sameText } from '../crypto/sameText.js'
import type { IncomingRequest } from '../request/IncomingRequest.js'

/** Throws USER_CHANGED if the page names another user than the grant. A page need not name one. */
export function checkUser(request: IncomingRequest, grantUser: string): void {
  const header = request.header(USER_HEADER)
  if (header === undefined) return
  const pageUser = decode(header)
  if (pageUser === undefined || !sameText(pageUser, grantUser)) throw new BffError('USER_CHANGED')
}

function decode(header: string): string | undefined {
  try {
    return decodeURIComponent(header)
  } catch {
    return undefined
  }
}

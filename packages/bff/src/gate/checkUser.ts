import { createHash, timingSafeEqual } from 'node:crypto'
import { USER_HEADER } from '@stagepass/contract'
import { BffError } from '../context/BffError.js'
import type { IncomingRequest } from '../request/IncomingRequest.js'

/** Throws USER_CHANGED if the page names another user than the grant. A page need not name one. */
export function checkUser(request: IncomingRequest, grantUser: string): void {
  const header = request.header(USER_HEADER)
  if (header === undefined) return
  const pageUser = decode(header)
  if (pageUser === undefined || !timingSafeEqual(hash(pageUser), hash(grantUser)))
    throw new BffError('USER_CHANGED')
}

function decode(header: string): string | undefined {
  try {
    return decodeURIComponent(header)
  } catch {
    return undefined
  }
}

/** Of equal length for any text: `timingSafeEqual` demands it. */
const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

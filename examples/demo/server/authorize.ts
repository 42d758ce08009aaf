import type { Grant } from '@stagepass/bff'
import type { Request } from 'express'
import { DEMO_USERS } from '../src/users/users.js'
import type { Upstream } from './openUpstream.js'
import { userOf } from './signIn.js'

/** The grant of the user who is signed in. The two users show what different grants do. */
export function createAuthorize({
  meetingsCredential,
  emulator,
}: Upstream): (request: Request) => Grant | null {
  const meetings = meetingsCredential === undefined ? undefined : { credential: meetingsCredential }
  return (request) => {
    const user = userOf(request)
    switch (user) {
      case 'ada':
        return { user, products: DEMO_USERS.ada.products, meetings }
      case 'ben':
        return {
          user,
          products: DEMO_USERS.ben.products,
          maxTtlMinutes: 5,
          usage: { minutesPerDay: 30 },
          meetings: meetings && {
            ...meetings,
            ownership: 'mine',
            fields: ['title', 'started_at', 'duration', ...(emulator ? ['created_at', 'updated_at'] : [])],
          },
        }
      case undefined:
        return null
      default:
        user satisfies never
        return null
    }
  }
}

import { createBff, type BffOptions } from '@stagepass/bff'
import type { Request } from 'express'

export const bff = createBff({
  ...options,
  maskAccountErrors: true, // a page does not see that an invoice is not paid
  deadlineMs: 15_000, // for a service far away
  allowedOrigins: ['https://admin.example.com'],
  limits: { tokensPerMinute: 10, meetingsPerMinute: 60 },
  userSecret: process.env['VOICE_USER_SECRET'], // with `redis`: ids of users cannot be guessed from its keys
  meetings: {
    ...options.meetings,
    cacheMs: 10_000, // lists that all users see: fewer requests, older pages
    reserve: 5, // an export of another program gets one request a second
    strict: true, // 429s with the reason `foreign-use`: the service counts single seconds too
    wire: {
      params: { limit: 'page_size' }, // what the doctor found
      items: 'data.items',
      ownershipWords: { mine: ['owner'], shared: ['guest'] },
    },
  },
  authorize: async (req: Request) => {
    const user = await currentUser(req)
    return (
      user && {
        user: user.id,
        sessionId: `support-${user.id}`, // in the service's records, for its support
        maxTtlMinutes: 30,
        usage: { minutesPerDay: { stt: 60, vt: 20 } },
        meetings: { credential: user.meetingsKey, weight: 2 }, // twice the share while others wait
      }
    )
  },
} satisfies BffOptions<Request>)

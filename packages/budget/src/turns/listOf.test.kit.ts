import type { Reply } from './applyTurnsCall.js'

/** The reply as the script in Redis returns it. For a fake Redis with the rules of `applyTurnsCall`. */
export const listOf = (reply: Reply): number[] => [
  reply.born,
  reply.at,
  reply.instances,
  reply.used,
  reply.frozenMs,
  reply.limitedAgoMs,
  reply.streak,
  reply.foreignUse,
  reply.waitMs,
  ...reply.opensInMs,
]

import { createStore } from './redis/createStore.js'
import { createLeases } from './sessions/createLeases.js'
import type { Sessions } from './sessions/Sessions.js'
import { SESSIONS } from './sessions/sessionsScript.js'
import { readSessionsOptions, type SessionsOptions } from './SessionsOptions.js'

/**
 * Shares the simultaneous sessions of an account: in this process or, with the option `redis`, in all of its
 * instances. Throws a `TypeError` or `RangeError` with a remedy if an option is not valid.
 */
export function createSessions(options: SessionsOptions = {}): Sessions {
  const { account, rules, clock, emit } = readSessionsOptions(options)
  return createLeases({ store: createStore(options.redis, account, clock, SESSIONS), rules, clock, emit })
}

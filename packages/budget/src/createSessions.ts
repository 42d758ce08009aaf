import { readAccount } from './BudgetOptions.js'
import { type Clock, systemClock } from './core/Clock.js'
import type { SessionsEvent } from './core/events.js'
import { createScriptStore, type Store } from './redis/createScriptStore.js'
import { applySessionsCall, type Call, newState, type Reply } from './sessions/applySessionsCall.js'
import { createLeases } from './sessions/createLeases.js'
import type { Sessions } from './sessions/Sessions.js'
import { readReply, SESSIONS_SCRIPT } from './sessions/sessionsScript.js'
import { type SessionsOptions, sessionsRules } from './SessionsOptions.js'

/** Added to the clock, so that 0 is a time long ago. */
const ORIGIN_MS = 1e9

/**
 * Shares the simultaneous sessions of an account: in this process or, with the option `redis`, in all of its
 * instances. Throws a `TypeError` or `RangeError` with a remedy if an option is not valid.
 */
export function createSessions(options: SessionsOptions = {}): Sessions {
  const rules = sessionsRules(options)
  const { redis, clock: given = systemClock } = options
  const account = readAccount(options.account)
  const clock: Clock = { now: () => given.now() + ORIGIN_MS, after: (...timer) => given.after(...timer) }
  // An error in the listener, now or later, does not affect a request.
  const listen = async (event: SessionsEvent): Promise<unknown> => options.onEvent?.(event)
  const emit = (event: SessionsEvent): void => void listen(event).catch(() => undefined)
  const state = newState()
  const memory: Store<Call, Reply> = {
    isShared: false,
    isConnected: () => true,
    call: async (call) => applySessionsCall(state, call, Math.floor(clock.now())),
  }
  const script = { script: SESSIONS_SCRIPT, keys: ['sessions'], readReply }
  const store = redis === undefined ? memory : createScriptStore<Call, Reply>(redis, account, clock, script)
  return createLeases({ store, rules, clock, emit })
}

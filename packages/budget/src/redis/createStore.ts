import type { Clock } from '../core/Clock.js'
import { isConnected, type RedisClient, type RedisEval, redisEval } from './redisClient.js'

/** Holds the state of an account, and changes it by one call at a time. */
export interface Store<TCall, TReply> {
  /** Rejects if the state cannot be reached. The call may still have been run, or may be run later. */
  call(call: TCall): Promise<TReply>
  /** True if other processes use the same state. */
  readonly isShared: boolean
  /** The name of this process in the state. Short, because it is part of each slot's name. */
  readonly instance: string
  /** False if the client of the store is not connected. */
  isConnected(): boolean
}

/**
 * The beginning of each script. All times in a state come from the clock of Redis. This is a separate
 * constant, so that tests can replace the clock.
 */
export const STORE_CLOCK = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/** The numbers that a module of rules exports, for its script. */
export const luaNumbers = (rules: Readonly<Record<string, unknown>>): string =>
  Object.entries(rules)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `local ${name} = ${String(value)}\n`)
    .join('')

/** A reply that takes longer counts as lost. */
export const LATE_MS = 750
const LATE = `Redis did not respond within ${LATE_MS} ms.`

/** The rules of a state: as a function for this process, and as a script for Redis. */
export interface StateRules<TState, TCall, TReply> {
  readonly newState: () => TState
  readonly apply: (state: TState, call: TCall, now: number) => TReply
  /** The script gets each call as JSON. */
  readonly script: string
  /** Names of its keys: all keys of an account are on one node of a cluster. */
  readonly keys: readonly string[]
  readonly readReply: (reply: unknown) => TReply
}

/** Keeps the state of an account in this process, or in Redis if there is a client. */
export function createStore<TState, TCall, TReply>(
  client: RedisClient | RedisEval | undefined,
  account: string,
  clock: Clock,
  { newState, apply, script, keys, readReply }: StateRules<TState, TCall, TReply>,
): Store<TCall, TReply> {
  if (client === undefined) {
    const state = newState()
    return {
      isShared: false,
      instance: 'memory',
      isConnected: () => true,
      call: async (call) => apply(state, call, clock.now()),
    }
  }
  const run = redisEval(client)
  const names = keys.map((name) => `stagepass:{${account}}:${name}`)
  return {
    isShared: true,
    // All twelve digits are random.
    instance: crypto.randomUUID().replace('-', '').slice(0, 12),
    isConnected: () => isConnected(client),
    async call(call) {
      const sentAt = clock.now()
      const reply = await withTimeout(run(script, names, [JSON.stringify(call)]), clock, LATE_MS, LATE)
      // This process was suspended meanwhile, so the reply is too old.
      if (clock.now() - sentAt > LATE_MS) throw new Error(LATE)
      return readReply(reply)
    },
  }
}

/** Returns the promise, or rejects with `message` after `timeoutMs`. */
function withTimeout<TValue>(
  promise: Promise<TValue>,
  clock: Clock,
  timeoutMs: number,
  message: string,
): Promise<TValue> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => reject(new Error(message)))
    promise.then(resolve, reject).finally(cancel)
  })
}

import type { Clock } from '../core/Clock.js'
import { withTimeout } from '../core/withTimeout.js'
import { isConnected, type RedisClient, type RedisEval, redisEval } from '../redis/redisClient.js'
import { applyCall, type Call, LATE_MS, newState, type Reply } from './applyCall.js'
import { readReply, TURNS_SCRIPT } from './turnsScript.js'

/** Holds the state of an account. */
export interface Store {
  /** Rejects if the state cannot be reached. The call may still have been run, or may be run later. */
  call(call: Call): Promise<Reply>
  /** True if other processes use the same state. */
  readonly isShared: boolean
  /** False if the client of the store is not connected. */
  isConnected(): boolean
}

/** Keeps the state in this process. */
export function createMemoryStore(clock: Clock): Store {
  const state = newState()
  return {
    isShared: false,
    isConnected: () => true,
    call: async (call) => applyCall(state, call, clock.now()),
  }
}

export function createRedisStore(client: RedisClient | RedisEval, account: string, clock: Clock): Store {
  const run = redisEval(client)
  const keys = ['state', 'slots'].map((name) => `stagepass:{${account}}:budget:${name}`)
  const late = `Redis did not respond within ${LATE_MS} ms.`
  return {
    isShared: true,
    isConnected: () => isConnected(client),
    async call(call) {
      const sentAt = clock.now()
      const reply = await withTimeout(run(TURNS_SCRIPT, keys, [JSON.stringify(call)]), clock, LATE_MS, late)
      // This process was suspended meanwhile, so the turns are too old.
      if (clock.now() - sentAt > LATE_MS) throw new Error(late)
      return readReply(reply)
    },
  }
}

import type { Clock } from '../core/Clock.js'
import { createScriptStore, type Store } from '../redis/createScriptStore.js'
import type { RedisClient, RedisEval } from '../redis/redisClient.js'
import { applyTurnsCall, type Call, newState, type Reply } from './applyTurnsCall.js'
import { readReply, TURNS_SCRIPT } from './turnsScript.js'

/** Keeps the state in this process. */
export function createMemoryStore(clock: Clock): Store<Call, Reply> {
  const state = newState()
  return {
    isShared: false,
    isConnected: () => true,
    call: async (call) => applyTurnsCall(state, call, clock.now()),
  }
}

export const createRedisStore = (
  client: RedisClient | RedisEval,
  account: string,
  clock: Clock,
): Store<Call, Reply> =>
  createScriptStore(client, account, clock, {
    script: TURNS_SCRIPT,
    keys: ['budget:state', 'budget:slots'],
    readReply,
  })

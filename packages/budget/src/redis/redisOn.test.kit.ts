import type { VirtualClock } from '@stagepass/testing/virtualClock'
import { STORE_CLOCK } from './createStore.js'
import { type RedisClient, type RedisEval, redisEval } from './redisClient.js'

/** A real Redis with the clock of a test. While `down` is set, it does not respond. */
export function redisOn(client: RedisClient, clock: VirtualClock) {
  const run = redisEval(client)
  const redis = { down: false, message: 'connection lost' }
  const evaluate: RedisEval = (script, keys, args) => {
    if (redis.down) return Promise.reject(new Error(redis.message))
    const rules = `local now = tonumber(ARGV[2])\n${script.slice(STORE_CLOCK.length)}`
    return clock.track(run(rules, keys, [...args, String(Math.floor(clock.now()))]))
  }
  return Object.assign(redis, { evaluate })
}

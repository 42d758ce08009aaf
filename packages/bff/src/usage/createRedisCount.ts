import { type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'

/*
 * KEYS   [1] counter
 * ARGV   [1] ms of a window
 * reply  requests in the window, and the ms until its end
 */
const COUNT = `local count, restMs = redis.call('INCR', KEYS[1]), redis.call('PTTL', KEYS[1])
if restMs < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  restMs = tonumber(ARGV[1])
end
return { count, restMs }
`

/** A client says in one of these whether it has a connection. A function and a cluster client say nothing. */
interface WithState {
  readonly isReady?: boolean
  readonly status?: string
}

/**
 * Counts requests in Redis. Returns a function that adds one to the counter of a key. It rejects at once if
 * the client has no connection, because the client would send the command later.
 */
export function createRedisCount(redis: RedisClient | RedisEval, windowMs: number) {
  const run = redisEval(redis)
  return async (key: string): Promise<{ count: number; restMs: number }> => {
    const { isReady = true, status = 'ready' } = redis as WithState
    if (!isReady || status !== 'ready') throw new Error('The Redis client has no connection.')
    const reply = await run(COUNT, [key], [String(windowMs)])
    if (!Array.isArray(reply)) throw new Error('The reply of Redis is not a list.')
    return { count: Number(reply[0]), restMs: Number(reply[1]) }
  }
}

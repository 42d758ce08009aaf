import { readNumbers, type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import { IS_FORGOTTEN } from './createKeyRegister.js'

/*
 * One call for each request: it counts, and says whether the account was forgotten. What all accounts share
 * must not stop them all if it cannot be read.
 *
 * KEYS   [1] counter  [2] number of forgotten accounts  [3] register of the account, if it has a name
 * ARGV   [1] ms of a window, or 0 if the request is not counted  [2] print of the account's key, or empty
 * reply  requests in the window, the ms until its end, 1 if the key may be useless, and the number of forgotten
 *        accounts
 */
const COUNT = `${IS_FORGOTTEN}local count, restMs, windowMs = 0, 0, tonumber(ARGV[1])
if windowMs > 0 then
  count, restMs = redis.call('INCR', KEYS[1]), redis.call('PTTL', KEYS[1])
  if restMs < 0 then
    redis.call('PEXPIRE', KEYS[1], windowMs)
    restMs = windowMs
  end
end
local forgotten = redis.pcall('GET', KEYS[2])
forgotten = type(forgotten) == 'string' and tonumber(forgotten) or 0
return { count, restMs, KEYS[3] and isForgotten(KEYS[3], ARGV[2]) and 1 or 0, forgotten }
`

export interface RedisCount {
  readonly count: number
  readonly restMs: number
  /** The account's key may be useless: ask the register. */
  readonly isSuspect: boolean
  /** Number of accounts that were forgotten, in all instances. */
  readonly forgotten: number
}

/** A client says in one of these whether it has a connection. A function and a cluster client say nothing. */
interface WithState {
  readonly isReady?: boolean
  readonly status?: string
}

/**
 * Counts requests in Redis. Returns a function that adds one to the counter `keys[0]`. The other keys are
 * those of `registerNames`. It rejects at once if the client has no connection, because the client would send
 * the command later.
 */
export function createRedisCount(redis: RedisClient | RedisEval) {
  const run = redisEval(redis)
  return async (keys: readonly string[], windowMs: number, print = ''): Promise<RedisCount> => {
    const { isReady = true, status = 'ready' } = redis as WithState
    if (!isReady || status !== 'ready') throw new Error('The Redis client has no connection.')
    const reply = await run(COUNT, [...keys], [String(windowMs), print])
    const [count = 0, restMs = 0, isSuspect = 0, forgotten = 0] = readNumbers(reply, 4)
    return { count, restMs, isSuspect: isSuspect === 1, forgotten }
  }
}

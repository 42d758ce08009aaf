import { type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import type { UsageStore } from './UsageStore.js'
import { CLOSED_MS, OPEN_AFTER_MS, REPORT_GRACE_MS, SUM_MS } from './usageRules.js'

/*
 * The rules of usageRules.ts in Lua. Redis runs a script as a whole, so no lost connection and no killed
 * instance can stop between two of its steps. But an error does not undo what a script has written: so each
 * reads all of its keys before it writes.
 *
 * The value of a reservation is its milliseconds, or 0 if it is closed.
 */
const SUMS = `local function get(key)
  local value = redis.call('GET', key)
  return value and assert(tonumber(value), 'not a number')
end
local function put(key, ms)
  local restMs = redis.call('PTTL', key)
  redis.call('SET', key, string.format('%.0f', ms), 'PX', restMs > 0 and restMs or ${SUM_MS})
end
`

/*
 * KEYS   [1] sum `taken`  [2] reservation
 * ARGV   [1] wanted ms  [2] ms of the shortest token  [3] ms of the limit
 * reply  the reserved ms, or 0
 */
const RESERVE = `${SUMS}local taken, known = get(KEYS[1]) or 0, get(KEYS[2])
-- The command has arrived twice, or after its cancellation.
if known then return known end
local wanted, least, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local over = math.max(0, taken + wanted - limit)
local reserved = wanted - math.ceil(over / 60000) * 60000
if reserved < least then return 0 end
put(KEYS[1], taken + reserved)
redis.call('SET', KEYS[2], reserved, 'PX', reserved + ${OPEN_AFTER_MS})
return reserved
`

/*
 * KEYS   [1] sum `taken`  [2] reservation  [3] sum `used`
 * ARGV   [1] reported ms, or 'all' without a report, or 'none' to cancel
 * reply  used ms, and 1 if the report is late; or nil if the reservation is not open
 */
const SETTLE = `${SUMS}local taken, reserved, used = get(KEYS[1]), get(KEYS[2]), get(KEYS[3]) or 0
local age = (reserved or 0) + ${OPEN_AFTER_MS} - redis.call('PTTL', KEYS[2])
redis.call('SET', KEYS[2], 0, 'PX', ${CLOSED_MS})
if not reserved or reserved <= 0 then return nil end
local cost, late = reserved, 0
if ARGV[1] == 'none' then cost = 0
elseif ARGV[1] ~= 'all' then
  if age > reserved + ${REPORT_GRACE_MS} then late = 1
  else cost = math.min(tonumber(ARGV[1]), reserved, age) end
end
if taken then
  put(KEYS[1], math.max(0, taken - reserved + cost))
  if cost > 0 then put(KEYS[3], used + cost) end
end
return { cost, late }
`

const READ = `return redis.call('MGET', unpack(KEYS))`

/**
 * Counts for all instances. While Redis does not answer, every call rejects. If an instance counted for
 * itself, each user would get the whole day once more.
 */
export function createRedisUsage(redis: RedisClient | RedisEval, account: string): UsageStore {
  const nameOf = (rest: string): string => `stagepass:{${account}}:usage:${rest}`
  // Each keeps the hash of its script.
  const [reserve, settle, read] = [redisEval(redis), redisEval(redis), redisEval(redis)]
  const close = (key: string, id: string, ms: string): Promise<unknown> =>
    settle(SETTLE, [nameOf(`taken:${key}`), nameOf(id), nameOf(`used:${key}`)], [ms])

  return {
    async reserve(key, id, { wantedMs, leastMs, limitMs }) {
      // Not every Lua reads "Infinity".
      const limits = [wantedMs, leastMs, Math.min(limitMs, Number.MAX_SAFE_INTEGER)].map(String)
      return Number(await reserve(RESERVE, [nameOf(`taken:${key}`), nameOf(id)], limits))
    },
    async settle(key, id, reportedMs) {
      const reply = await close(key, id, reportedMs === undefined ? 'all' : String(reportedMs))
      if (!Array.isArray(reply)) return undefined
      return { usedMs: Number(reply[0]), isLate: Number(reply[1]) === 1 }
    },
    async cancel(key, id) {
      await close(key, id, 'none')
    },
    async read(keys) {
      const names = keys.flatMap((key) => [nameOf(`taken:${key}`), nameOf(`used:${key}`)])
      const found = await read(READ, names, [])
      // Each value is text, or bytes with some client settings, or null for a missing sum.
      const sums = Array.isArray(found) ? found.map((value) => Number(value ?? 0)) : []
      return keys.map((_key, at) => ({ taken: sums[2 * at] ?? 0, used: sums[2 * at + 1] ?? 0 }))
    },
  }
}

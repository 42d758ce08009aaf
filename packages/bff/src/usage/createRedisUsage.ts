import { type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import type { UsageStore } from './UsageStore.js'
import { CLOSED_MS, OPEN_AFTER_MS, REPORT_GRACE_MS, SUM_MS } from './usageRules.js'

/*
 * The rules of usageRules.ts in Lua. Redis runs a script as a whole, so no lost connection and no killed
 * instance can stop between two of its steps. But an error does not undo what a script has written: so each
 * reads all of its keys before it writes.
 *
 * The value of a reservation is its milliseconds. A closed one is 0, and after it, with spaces between: the
 * process that has closed it, ARGV[1] of its call, the reply, and ARGV[3] of its call if there is one.
 */
const SUMS = `local function get(key)
  local value = redis.call('GET', key)
  return value and assert(tonumber(value), 'not a number')
end
local function reserved(key)
  local value = redis.call('GET', key) or nil
  return value and assert(tonumber(string.match(value, '^%S+')), 'not a number'), value
end
local function put(key, ms)
  local restMs = redis.call('PTTL', key)
  redis.call('SET', key, string.format('%.0f', ms), 'PX', restMs > 0 and restMs or ${SUM_MS})
end
`

/** What an open reservation costs with a report, and 1 if the report is late. */
const COST = `local function settled(key, life, report)
  local age = life + ${OPEN_AFTER_MS} - redis.call('PTTL', key)
  if age > life + ${REPORT_GRACE_MS} then return life, 1 end
  return math.floor(math.min(tonumber(report), life, age)), 0
end
`

/*
 * KEYS   [1] sum `taken`  [2] reservation  [3] reservation of the replaced token, if there is one
 * ARGV   [1] wanted ms  [2] ms of the shortest token  [3] ms of the limit  [4] reported ms of [3]
 * reply  the reserved ms, or 0, or the token that has already replaced [3]
 */
const RESERVE = `${SUMS}${COST}local taken, known = get(KEYS[1]) or 0, reserved(KEYS[2])
local old, value = reserved(KEYS[3] or KEYS[2])
local freed = KEYS[3] and old and old > 0 and old - settled(KEYS[3], old, ARGV[4]) or 0
-- The command has arrived twice, or after its cancellation.
if known then return known end
local next = string.match(value or '', '^0 %S+ %S+ %d+ %d (%S+)$')
if next then return next end
local wanted, least, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local over = math.max(0, taken - freed + wanted - limit)
local life = wanted - math.ceil(over / 60000) * 60000
if life < least then return 0 end
put(KEYS[1], taken + life)
redis.call('SET', KEYS[2], life, 'PX', life + ${OPEN_AFTER_MS})
return life
`

/*
 * KEYS   [1] sum `taken`  [2] reservation  [3] sum `used`
 * ARGV   [1] reported ms, or 'all' without a report, or 'none' to cancel  [2] name of the caller's process
 *        [3] the token that has replaced this one, or empty
 * reply  used ms, 1 if the report is late, and the process that has closed it; or nil if the reservation is
 *        not open, and was not closed by the same call
 */
const SETTLE = `${SUMS}${COST}local taken, used = get(KEYS[1]), get(KEYS[3]) or 0
local life, value = reserved(KEYS[2])
local by, call, known, wasLate = string.match(value or '', '^0 (%S+) (%S+) (%d+) (%d)')
if by then return call == ARGV[1] and { tonumber(known), tonumber(wasLate), by } or nil end
local cost, late = life or 0, 0
if ARGV[1] == 'none' then cost = 0
elseif ARGV[1] ~= 'all' and cost > 0 then cost, late = settled(KEYS[2], life, ARGV[1]) end
local isOpen = life and life > 0
local result = isOpen and ARGV[1] ~= 'none' and string.format(' %s %s %.0f %d %s', ARGV[2], ARGV[1], cost, late, ARGV[3]) or ''
redis.call('SET', KEYS[2], '0' .. result, 'PX', ${CLOSED_MS})
if not isOpen then return nil end
if taken then
  put(KEYS[1], math.max(0, taken - life + cost))
  if cost > 0 then put(KEYS[3], used + cost) end
end
return { cost, late, ARGV[2] }
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
  const close = (key: string, id: string, ms: string, instance: string, next = ''): Promise<unknown> =>
    settle(SETTLE, [nameOf(`taken:${key}`), nameOf(id), nameOf(`used:${key}`)], [ms, instance, next])

  return {
    async reserve(key, id, { wantedMs, leastMs, limitMs }, replaced) {
      // Not every Lua reads "Infinity".
      const limits = [wantedMs, leastMs, Math.min(limitMs, Number.MAX_SAFE_INTEGER)]
      const keys = [nameOf(`taken:${key}`), nameOf(id), ...(replaced ? [nameOf(replaced.id)] : [])]
      const args = [...limits, ...(replaced ? [replaced.reportedMs] : [])].map(String)
      const reply = String(await reserve(RESERVE, keys, args))
      return Number.isNaN(Number(reply)) ? reply : Number(reply)
    },
    async settle(key, id, reportedMs, instance, next) {
      const reply = await close(
        key,
        id,
        reportedMs === undefined ? 'all' : String(reportedMs),
        instance,
        next,
      )
      if (!Array.isArray(reply)) return undefined
      return { usedMs: Number(reply[0]), isLate: Number(reply[1]) === 1, by: String(reply[2]) }
    },
    async cancel(key, id) {
      await close(key, id, 'none', '')
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

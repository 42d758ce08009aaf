import { readNumbers, type RedisClient, redisEval, type RedisEval } from '@stagepass/budget'
import type { UsageStore } from './UsageStore.js'
import {
  BILL_MS,
  CLOSED_MS,
  MONTH_MS,
  OPEN_AFTER_MS,
  REPORT_GRACE_MS,
  SUM_MS,
  SUMS,
  sumsOf,
  THRESHOLDS,
} from './usageRules.js'

/*
 * The rules of usageRules.ts in Lua. Redis runs a script as a whole, so no lost connection and no killed
 * instance can stop between two of its steps. But an error does not undo what a script has written: so each
 * reads all of its keys before it writes.
 *
 * The value of a reservation is its milliseconds. A closed one is 0, and after it, with spaces between: the
 * process that has closed it, ARGV[1] of its call, the reply, and ARGV[3] of its call if there is one.
 */
const READ_AND_WRITE = `local function get(key)
  local value = redis.call('GET', key)
  return value and assert(tonumber(value), 'not a number')
end
local function reserved(key)
  local value = redis.call('GET', key) or nil
  return value and assert(tonumber(string.match(value, '^%S+')), 'not a number'), value
end
-- All users of an account share its hash. One that cannot be read stops only those whose account has a limit.
local function getField(key, field, isNeeded)
  local value = redis.pcall('HGET', key, field)
  local ms = type(value) == 'string' and tonumber(value)
  assert(value == false or ms or not isNeeded, 'not a number')
  return value ~= false and not ms, ms or nil
end
local function put(key, ms, life)
  local restMs = redis.call('PTTL', key)
  redis.call('SET', key, string.format('%.0f', ms), 'PX', restMs > 0 and restMs or life)
end
local function putField(key, field, ms)
  redis.call('HSET', key, field, string.format('%.0f', ms))
  if redis.call('PTTL', key) < 0 then redis.call('PEXPIRE', key, ${BILL_MS}) end
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
 * KEYS   [1] sum `taken` of the user's day  [2] reservation  [3] sum of the user's month  [4] hash of the
 *        account  [5] hash of the thresholds that were reached  [6] reservation of the replaced token, if any
 * ARGV   [1] wanted ms  [2] ms of the shortest token  [3] to [6] ms of the limits of SUMS
 *        [7] and [8] fields of the account's day and month  [9] to [12] names of the sums in [5]
 *        [13] reported ms of [6]  [14] 1 if that is of another day
 * reply  the token that has already replaced [6]; or a list: the reserved ms, then for each of SUMS 1 if it has
 *        too little left, then for each the threshold that it has reached for the first time, or 0
 */
const RESERVE = `${READ_AND_WRITE}${COST}local known = reserved(KEYS[2])
local unlimited = ${Number.MAX_SAFE_INTEGER}
local badDays, days = getField(KEYS[4], ARGV[7], tonumber(ARGV[5]) < unlimited)
local badMonths, months = getField(KEYS[4], ARGV[8], tonumber(ARGV[6]) < unlimited)
local sums = { get(KEYS[1]) or 0, get(KEYS[3]) or 0, days or 0, months or 0 }
local old, value = reserved(KEYS[6] or KEYS[2])
local freed = KEYS[6] and old and old > 0 and old - settled(KEYS[6], old, ARGV[13]) or 0
local reply = { known or 0, 0, 0, 0, 0, 0, 0, 0, 0 }
-- The command has arrived twice, or after its cancellation.
if known then return reply end
local next = string.match(value or '', '^0 %S+ %S+ %d+ %d (%S+)$')
if next then return next end
-- The thresholds, and the limits to which they belong.
local names = { ARGV[9], ARGV[10], ARGV[11], ARGV[12] }
for i = 1, 4 do names[4 + i] = names[i] .. ' limit' end
local marks = redis.pcall('HMGET', KEYS[5], unpack(names))
local wanted, least = tonumber(ARGV[1]), tonumber(ARGV[2])
local life, left = wanted, {}
for i = 1, 4 do
  left[i] = sums[i] - ((i % 2 == 1 and ARGV[14] == '1') and 0 or freed)
  local over = math.max(0, left[i] + wanted - tonumber(ARGV[2 + i]))
  local its = wanted - math.ceil(over / 60000) * 60000
  if its < least then reply[1 + i] = 1; its = 0 end
  life = math.min(life, its)
end
reply[1] = life
for i = 1, 4 do
  local limit, reached = tonumber(ARGV[2 + i]), 0
  if limit < unlimited and not marks.err then
    if reply[1 + i] == 1 or left[i] + life + least > limit then reached = 100
    elseif left[i] + life >= limit * 0.8 then reached = 80 end
  end
  local of = tonumber(marks[4 + i] or '') or limit
  if reached > (of >= limit and tonumber(marks[i] or '') or 0) then
    reply[5 + i] = reached
    redis.call('HSET', KEYS[5], names[i], reached, names[4 + i], string.format('%.0f', math.max(of, limit)))
    redis.call('PEXPIRE', KEYS[5], ${MONTH_MS})
  end
end
if life == 0 then return reply end
put(KEYS[1], sums[1] + life, ${SUM_MS})
put(KEYS[3], sums[2] + life, ${MONTH_MS})
if not badDays then putField(KEYS[4], ARGV[7], sums[3] + life) end
if not badMonths then putField(KEYS[4], ARGV[8], sums[4] + life) end
redis.call('SET', KEYS[2], life, 'PX', life + ${OPEN_AFTER_MS})
return reply
`

/*
 * KEYS   [1] sum `taken`  [2] reservation  [3] sum `used`  [4] sum of the user's month  [5] hash of the account
 * ARGV   [1] reported ms, or 'all' without a report, or 'none' to cancel  [2] name of the caller's process
 *        [3] the token that has replaced this one, or empty  [4] and [5] fields of the account's day and month
 * reply  used ms, 1 if the report is late, and the process that has closed it; or nil if the reservation is
 *        not open, and was not closed by the same call
 */
const SETTLE = `${READ_AND_WRITE}${COST}local taken, used = get(KEYS[1]), get(KEYS[3]) or 0
local month, _, days = get(KEYS[4]), getField(KEYS[5], ARGV[4])
local _, months = getField(KEYS[5], ARGV[5])
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
  put(KEYS[1], math.max(0, taken - life + cost), ${SUM_MS})
  if cost > 0 then put(KEYS[3], used + cost, ${SUM_MS}) end
end
if month then put(KEYS[4], math.max(0, month - life + cost), ${MONTH_MS}) end
if days then putField(KEYS[5], ARGV[4], math.max(0, days - life + cost)) end
if months then putField(KEYS[5], ARGV[5], math.max(0, months - life + cost)) end
return { cost, late, ARGV[2] }
`

/*
 * KEYS   [1] a name on the node of all others
 * ARGV   [1] cursor  [2] pattern of the names that have the account in them  [3] end of the names of its own sums
 * reply  the next cursor, "0" at the end
 */
const DROP = `local reply = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 1000)
for _, name in ipairs(reply[2]) do
  if string.sub(name, -#ARGV[3]) ~= ARGV[3] or string.find(name, ':reached:', 1, true) then redis.call('DEL', name) end
end
return reply[1]`

const READ = `return redis.call('MGET', unpack(KEYS))`

const READ_HASHES = `local all = {}
for i, key in ipairs(KEYS) do all[i] = redis.call('HGETALL', key) end
return all`

/**
 * Counts for all instances. While Redis does not answer, every call rejects. If an instance counted for
 * itself, each user would get the whole day once more.
 */
export function createRedisUsage(redis: RedisClient | RedisEval, account: string): UsageStore {
  const nameOf = (rest: string): string => `stagepass:{${account}}:usage:${rest}`
  // Each keeps the hash of its script.
  const [reserve, settle, read, readHashes, drop] = [
    redisEval(redis),
    redisEval(redis),
    redisEval(redis),
    redisEval(redis),
    redisEval(redis),
  ]
  const close = (key: string, id: string, ms: string, instance: string, next = ''): Promise<unknown> => {
    const { userMonth, account: ofAccount, fields } = sumsOf(key)
    const names = [`taken:${key}`, id, `used:${key}`, `taken:${userMonth}`, `taken:${ofAccount}`]
    const args = [ms, instance, next, fields['account day'], fields['account month']]
    return settle(SETTLE, names.map(nameOf), args)
  }

  return {
    async reserve(key, id, { wantedMs, leastMs, limits }, replaced) {
      const { userMonth, account: ofAccount, fields } = sumsOf(key)
      const names = [
        `taken:${key}`,
        id,
        `taken:${userMonth}`,
        `taken:${ofAccount}`,
        `reached:${ofAccount}`,
        ...(replaced ? [replaced.id] : []),
      ]
      const args = [
        wantedMs,
        leastMs,
        // Not every Lua reads "Infinity".
        ...SUMS.map((sum) => Math.min(limits[sum], Number.MAX_SAFE_INTEGER)),
        ...Object.values(fields),
        key,
        userMonth,
        ...Object.values(fields),
        ...(replaced ? [replaced.reportedMs, replaced.isOfOtherDay ? 1 : 0] : []),
      ]
      const reply = await reserve(RESERVE, names.map(nameOf), args.map(String))
      if (replaced && !Array.isArray(reply)) return String(reply)
      const [reservedMs = 0, ...rest] = readNumbers(reply, 9)
      return {
        reservedMs,
        refusedBy: SUMS.filter((_sum, at) => rest[at] === 1),
        crossed: SUMS.flatMap((sum, at) => {
          const percent = THRESHOLDS.find((threshold) => threshold === rest[4 + at])
          return percent === undefined ? [] : [{ sum, percent }]
        }),
      }
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
    async drop(ofAccount) {
      const pattern = nameOf(`*:${ofAccount}*`)
      let cursor = '0'
      do {
        cursor = String(await drop(DROP, [nameOf('taken')], [cursor, pattern, `:${ofAccount}`]))
      } while (cursor !== '0')
    },
    async read(keys) {
      const names = keys.flatMap((key) =>
        [`taken:${key}`, `used:${key}`, `taken:${sumsOf(key).userMonth}`].map(nameOf),
      )
      const found = await read(READ, names, [])
      // Each value is text, or bytes with some client settings, or null for a missing sum.
      const sums = readNumbers(found, names.length)
      return keys.map((_key, at) => {
        const [taken = 0, used = 0, month = 0] = sums.slice(3 * at)
        return { taken, used, month }
      })
    },
    async readAccount(accounts) {
      const names = accounts.map((ofAccount) => nameOf(`taken:${ofAccount}`))
      const found = await readHashes(READ_HASHES, names, [])
      return accounts.map((_account, at) => {
        const flat: unknown = Array.isArray(found) ? found[at] : undefined
        const parts = Array.isArray(flat) ? flat.map(String) : []
        const fields = parts.filter((_part, nth) => nth % 2 === 0)
        return new Map(fields.map((field, nth) => [field, Number(parts[2 * nth + 1])] as const))
      })
    },
  }
}

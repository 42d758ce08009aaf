import {
  FIRST_PAUSE_MS,
  GONE_MS,
  LATE_MS,
  LONGEST_PAUSE_MS,
  LONGEST_RETRY_AFTER_MS,
  LOWERED_MS,
  POLL_MS,
  SLACK_MS,
} from './applyCall.js'

/**
 * All times in the state come from the clock of Redis. This is a separate constant, so that tests can replace
 * the clock.
 */
export const STORE_CLOCK = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/*
 * The rules of applyCall.ts in Lua, for one account.
 *
 * KEYS   [1] hash: born, at, last, backAt, peers, mark, frozenUntil, limitedAt, row, foreignUse; for each
 *            instance '@' and its name: time of its last call
 *        [2] sorted set: the slots, by the time at which each becomes free; between two calls also 'mark'
 * ARGV   [1] the call as JSON, with `least` and `givenUp` of its limit
 * reply  the reply of applyCall, as a list of whole numbers
 */
const RULES = `local ask, state, slots = cjson.decode(ARGV[1]), KEYS[1], KEYS[2]
local longest = ask.aheadMs + ask.heldMs + ${SLACK_MS}
for key, kind in pairs({ [state] = 'hash', [slots] = 'zset' }) do if redis.call('TYPE', key).ok ~= kind then redis.call('DEL', key) end end
local slotsMarked = redis.call('ZREM', slots, 'mark') == 1
local s, names = {}, { 'born', 'at', 'last', 'backAt', 'peers', 'mark', 'frozenUntil', 'limitedAt', 'row', 'foreignUse' }
for i, value in ipairs(redis.call('HMGET', state, unpack(names))) do
  local number = tonumber(value or '')
  s[names[i]] = number and number >= 0 and number < 1e15 and number or 0
end
if s.born == 0 or now < s.at or (s.mark > now and not slotsMarked) or (s.born == ask.born and s.at < ask.at) or s.last > now + longest or s.frozenUntil > now + ${LONGEST_RETRY_AFTER_MS + SLACK_MS} then
  s = { born = now, last = 0, backAt = 0, peers = 0, frozenUntil = (s.born == 0 and not slotsMarked) and 0 or now + ask.windowMs, limitedAt = 0, row = 0, foreignUse = 0 }
end
s.at, s.mark = now, now + ask.windowMs + ask.aheadMs
if ask.born > 0 and ask.born ~= s.born then s.frozenUntil = math.max(s.frozenUntil, s.born + ask.windowMs) end
local isLate = ask.sentAt > 0 and now - ask.sentAt > ${LATE_MS}
if isLate then ask.wanted = 0 end
if ask.peers > 0 and not isLate and now >= s.backAt + ask.windowMs then s.backAt, s.peers = now, ask.peers end
for id, ms in pairs(ask.freeInMs) do redis.call('ZADD', slots, now + ms, id) end
redis.call('ZREMRANGEBYSCORE', slots, '-inf', now)
redis.call('ZREMRANGEBYSCORE', slots, '(' .. string.format('%.0f', now + longest), '+inf')

for i, limited in ipairs(ask.limited) do
  local at, ownMs, askedMs = now - limited.agoMs, 0, limited.retryAfterMs
  if at >= s.frozenUntil and now - limited.sentAgoMs > s.limitedAt then
    s.row = at - s.limitedAt < ${LOWERED_MS} and s.row + 1 or 1
    s.limitedAt, s.foreignUse = at, s.foreignUse + 1
    ownMs = math.floor(math.min(${FIRST_PAUSE_MS} * 2 ^ (s.row - 1), ${LONGEST_PAUSE_MS}) * (1 + limited.jitter / 4))
  end
  s.frozenUntil = math.max(s.frozenUntil, at + (askedMs < 0 and ownMs or math.min(askedMs, ${LONGEST_RETRY_AFTER_MS})))
end

if not isLate then redis.call('HSET', state, '@' .. ask.instance, string.format('%.0f', ask.peers > 0 and s.backAt - 1 or now)) end
local instances, back = 0, 0
for i, name in ipairs(redis.call('HKEYS', state)) do if name:sub(1, 1) == '@' then
  local at = tonumber(redis.call('HGET', state, name)) or 0
  if at >= s.backAt then back = back + 1 end
  local isGone = now - at > ${GONE_MS} or (ask.leaves and name == '@' .. ask.instance)
  if isGone then redis.call('HDEL', state, name) else instances = instances + 1 end
end end

local limit, used, waitMs, opens = ask.limit, redis.call('ZCARD', slots), 0, {}
if now - s.limitedAt < ${LOWERED_MS} then limit = limit - math.min(ask.givenUp * s.row, limit - ask.least) end
if now < s.backAt + ask.windowMs then limit = limit - math.max(0, s.peers - back) * math.max(1, math.floor(ask.limit / math.max(1, s.peers))) end
limit = math.max(1, limit)
local burst = limit < ask.limit and 0 or math.min(ask.burst, limit)
local function freeAt(n) return tonumber(redis.call('ZRANGE', slots, n, n, 'WITHSCORES')[2]) end
for n = 1, ask.wanted do
  local roomAt, gap = used < limit and now or freeAt(used - limit), 0
  if used >= burst then gap = ask.gapMs end
  if used >= burst and used > 0 and used < limit then gap = math.max(gap, math.ceil(math.min(freeAt(0) - s.last, ask.windowMs) / (limit - used + 1))) end
  local open = math.max(now, roomAt, s.last + gap, s.frozenUntil)
  if n > 1 and open > now then break end
  local late = open - now - ask.aheadMs
  if late > 0 then waitMs = math.max(math.min(late, ${POLL_MS}), s.frozenUntil - now - ask.aheadMs) break end
  s.last, used, opens[n] = open, used + 1, open - now
  redis.call('ZADD', slots, open + ask.heldMs, ask.id .. n)
end

used = redis.call('ZCARD', slots)
redis.call('ZADD', slots, s.mark, 'mark')
for name, value in pairs(s) do redis.call('HSET', state, name, string.format('%.0f', value)) end
for i, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ${2 * GONE_MS}) end
return { s.born, now, instances, used, math.max(0, s.frozenUntil - now), now - s.limitedAt, s.row, s.foreignUse, waitMs, unpack(opens) }
`

export const TURNS_SCRIPT = STORE_CLOCK + RULES

import { LATE_MS, luaNumbers, type StateRules, STORE_CLOCK } from '../redis/createStore.js'
import { readNumbers } from '../redis/redisClient.js'
import * as rules from './applyTurnsCall.js'
import { applyTurnsCall, type Call, newState, type Reply, type State } from './applyTurnsCall.js'

/*
 * The rules of applyTurnsCall.ts in Lua, for one account: the same steps, in the same order and with the same
 * names. Change both. Only steps 0 and 7 differ, because here the state is in Redis:
 *
 * KEYS   [1] hash: the numbers of `State`; for each instance '@' and its name: time of its last call
 *        [2] sorted set: the slots, by the time at which each becomes free; between two calls also 'mark'
 * ARGV   [1] the call as JSON
 * reply  see `readReply`
 */
const RULES = `
local call = cjson.decode(ARGV[1])
local stateKey = KEYS[1]
local slotsKey = KEYS[2]

local function shareOf(limit, instances)
  return math.max(1, math.floor(limit / math.max(1, instances)))
end

-- 0. Read the state. Other code may have written to the keys: a key of another type is deleted, and what
-- is not a time or a count is 0. A comparison with NaN is false.
local function readNumber(text)
  local number = tonumber(text)
  if number and number >= 0 and number < 1e15 then
    return number
  end
  return 0
end

-- Lua itself would write 1700000000000 as 1.7e+12.
local function writeNumber(number)
  return string.format('%.0f', number)
end

local function deleteIfNot(kind, key)
  if redis.call('TYPE', key).ok ~= kind then
    redis.call('DEL', key)
  end
end

deleteIfNot('hash', stateKey)
deleteIfNot('zset', slotsKey)
-- The mark is no slot: it is removed before slots are counted, and added again at the end.
local slotsMarked = redis.call('ZREM', slotsKey, 'mark') == 1
local state = {
  born = 0,
  at = 0,
  last = 0,
  backAt = 0,
  peers = 0,
  mark = 0,
  frozenUntil = 0,
  limitedAt = 0,
  streak = 0,
  foreignUse = 0,
}
local instances = {}
local fields = redis.call('HGETALL', stateKey)
for index = 1, #fields, 2 do
  local name = fields[index]
  local number = readNumber(fields[index + 1])
  if name:sub(1, 1) == '@' then
    instances[name:sub(2)] = number
  elseif state[name] then
    state[name] = number
  end
end

-- 1. The state or its slots were lost or replaced by an older copy, or its clock stepped back. Instances
-- may hold slots that it does not know, so no turn opens for one window. An account without any state has
-- no such slots.
local longestMs = call.aheadMs + call.heldMs + SLACK_MS
local isLost = state.born == 0
  or now < state.at
  or (state.mark > now and not slotsMarked)
  or (state.born == call.born and state.at < call.at)
  or state.last > now + longestMs
  or state.frozenUntil > now + LONGEST_RETRY_AFTER_MS + SLACK_MS
local isNew = state.born == 0 and not slotsMarked
if isLost then
  state.born = now
  state.last = 0
  state.backAt = 0
  state.peers = 0
  state.frozenUntil = isNew and 0 or now + call.windowMs
  state.limitedAt = 0
  state.streak = 0
  state.foreignUse = 0
end
state.at = now
-- Not longer, because an instance of an earlier version deletes what is further ahead than its own slots.
state.mark = now + call.windowMs + call.aheadMs

-- 2. The caller. If it knows another state, its slots of that state may still be in use: it gets no turns
-- before it has reported them, which it does as soon as it has the reply.
local knowsAnother = call.born > 0 and call.born ~= state.born
if knowsAnother then
  state.frozenUntil = math.max(state.frozenUntil, state.born + call.windowMs)
end
local isLate = call.sentAt > 0 and now - call.sentAt > LATE_MS
local wanted = (isLate or knowsAnother) and 0 or call.wanted
if call.peers > 0 and not isLate and now >= state.backAt + call.windowMs then
  state.backAt = now
  state.peers = call.peers
end
-- Until the caller has read the reply, it may continue on its own, so it does not count as back yet.
if not isLate then
  local at = call.peers > 0 and state.backAt - 1 or now
  instances[call.instance] = at
  redis.call('HSET', stateKey, '@' .. call.instance, writeNumber(at))
end

-- 3. Its reports. A slot that is further ahead than longestMs was not written by these rules.
for id, ms in pairs(call.freeInMs) do
  redis.call('ZADD', slotsKey, now + ms, id)
end
redis.call('ZREMRANGEBYSCORE', slotsKey, '-inf', now)
redis.call('ZREMRANGEBYSCORE', slotsKey, '(' .. writeNumber(now + longestMs), '+inf')

local function countLimited(limited)
  local at = now - limited.agoMs
  local isNew = at >= state.frozenUntil and now - limited.sentAgoMs > state.limitedAt
  if isNew then
    state.streak = at - state.limitedAt < LOWERED_MS and state.streak + 1 or 1
    state.limitedAt = at
    state.foreignUse = state.foreignUse + 1
  end
  local backOffMs = math.min(FIRST_FREEZE_MS * 2 ^ (state.streak - 1), LONGEST_FREEZE_MS)
  local ownMs = isNew and math.floor(backOffMs * (1 + limited.jitter / 4)) or 0
  local frozenMs = limited.retryAfterMs < 0 and ownMs or math.min(limited.retryAfterMs, LONGEST_RETRY_AFTER_MS)
  state.frozenUntil = math.max(state.frozenUntil, at + frozenMs)
end

for _, limited in ipairs(call.limited) do
  countLimited(limited)
end

-- 4. The slots that may be used now, and how many of them without a gap.
local function limitNow()
  if now - state.limitedAt >= LOWERED_MS then
    return call.limit
  end
  local least = math.max(1, math.floor(call.limit / 5))
  local givenUp = math.ceil(call.limit / 12.5)
  return call.limit - math.min(givenUp * state.streak, call.limit - least)
end

local function sharesOfSilent()
  if now >= state.backAt + call.windowMs then
    return 0
  end
  local back = 0
  for _, at in pairs(instances) do
    if at >= state.backAt then
      back = back + 1
    end
  end
  return math.max(0, state.peers - back) * shareOf(call.limit, state.peers)
end

local limit = math.max(1, limitNow() - sharesOfSilent())
local burst = limit < call.limit and 0 or math.min(call.burst, limit)

-- 5. The turns.
local function freeAt(index)
  return tonumber(redis.call('ZRANGE', slotsKey, index, index, 'WITHSCORES')[2])
end

local used = redis.call('ZCARD', slotsKey)
local opensInMs = {}
local waitMs = 0
for number = 1, wanted do
  local roomAt = used < limit and now or freeAt(used - limit)
  local gapMs = 0
  if used >= burst then
    gapMs = call.gapMs
  end
  if used >= burst and used > 0 and used < limit then
    local spreadMs = math.min(freeAt(0) - state.last, call.windowMs) / (limit - used + 1)
    gapMs = math.max(gapMs, math.ceil(spreadMs))
  end
  local open = math.max(now, roomAt, state.last + gapMs, state.frozenUntil)
  -- A single turn may open later. All turns of a burst open now.
  if number > 1 and open > now then
    break
  end
  local lateMs = open - now - call.aheadMs
  if lateMs > 0 then
    waitMs = math.max(math.min(lateMs, POLL_MS), state.frozenUntil - now - call.aheadMs)
    break
  end
  state.last = open
  redis.call('ZADD', slotsKey, open + call.heldMs, call.id .. number)
  used = used + 1
  opensInMs[number] = open - now
end

-- 6. Instances that have left.
local count = 0
for name, at in pairs(instances) do
  local leaves = call.leaves and name == call.instance
  if leaves or now - at > GONE_MS then
    redis.call('HDEL', stateKey, '@' .. name)
  else
    count = count + 1
  end
end

-- 7. Write the state, and reply. A call that is run twice takes the same slots, so they are counted again.
used = redis.call('ZCARD', slotsKey)
redis.call('ZADD', slotsKey, state.mark, 'mark')
for name, value in pairs(state) do
  redis.call('HSET', stateKey, name, writeNumber(value))
end
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, 2 * GONE_MS)
end
-- Redis cuts off the fraction of a number in a reply. All of these are whole.
return {
  state.born,
  now,
  count,
  used,
  math.max(0, state.frozenUntil - now),
  now - state.limitedAt,
  state.streak,
  state.foreignUse,
  waitMs,
  unpack(opensInMs),
}
`

/** The list that the script returns, in this order. */
type ReplyList = readonly [
  born: number,
  at: number,
  instances: number,
  used: number,
  frozenMs: number,
  limitedAgoMs: number,
  streak: number,
  foreignUse: number,
  waitMs: number,
  ...opensInMs: number[],
]

/** Reads the reply of the script. Throws if it is another one. */
function readReply(reply: unknown): Reply {
  const [born, at, instances, used, frozenMs, limitedAgoMs, streak, foreignUse, waitMs, ...opensInMs] =
    readNumbers(reply, 9) as unknown as ReplyList
  return { born, at, instances, used, frozenMs, limitedAgoMs, streak, foreignUse, waitMs, opensInMs }
}

export const TURNS: StateRules<State, Call, Reply> = {
  newState,
  apply: applyTurnsCall,
  script: STORE_CLOCK + luaNumbers({ ...rules, LATE_MS }) + RULES,
  keys: ['budget:state', 'budget:slots'],
  readReply,
}

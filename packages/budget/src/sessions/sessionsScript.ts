import { luaNumbers, type StateRules, STORE_CLOCK } from '../redis/createStore.js'
import { wrongReply } from '../redis/redisClient.js'
import * as rules from './applySessionsCall.js'
import { applySessionsCall, type Call, newState, type Reply, type State } from './applySessionsCall.js'

/*
 * The rules of applySessionsCall.ts in Lua, for one account: the same steps, in the same order and with the same
 * names. Change both. Only steps 0 and 6 differ, because here the state is in Redis:
 *
 * KEYS   [1] hash: '#' and a name: a number of `State`; '@' and an instance: time of its last call; '!' and
 *        the key of an end: its time and its note; ':' and an id: an entry, as a JSON list
 * ARGV   [1] the call as JSON
 * reply  the reply as JSON
 */
const RULES = `
local call = cjson.decode(ARGV[1])
local key = KEYS[1]

-- 0. Read the state. Other code may have written to the key.
if redis.call('TYPE', key).ok ~= 'hash' then
  redis.call('DEL', key)
end
local NAMES = { 'user', 'weight', 'status', 'askedAt', 'turnAt', 'seenAt', 'until', 'retryMs', 'since', 'statusAt',
  'isTrial', 'isEnded', 'endNote', 'checkedAt', 'note' }

local function newNumbers()
  return { born = 0, at = 0, askedAt = 0, settledAt = 0, number = -1, proven = 0, triedAt = 0, gapMs = FIRST_GAP_MS,
    trials = 1, refusedAt = 0, lowerSince = 0, releasedAt = 0, lingerMs = 0, paceMs = 0, checkedAt = 0,
    checked = 0 }
end

local state = newNumbers()
local entries = {}
local ends = {}
local instances = {}
local touched = {}
local fields = redis.call('HGETALL', key)
for index = 1, #fields, 2 do
  local kind = fields[index]:sub(1, 1)
  local name = fields[index]:sub(2)
  local value = fields[index + 1]
  if kind == ':' then
    local isRead, list = pcall(cjson.decode, value)
    if isRead and type(list) == 'table' and #list == #NAMES then
      local entry = {}
      for at, part in ipairs(NAMES) do
        entry[part] = list[at]
      end
      entries[name] = entry
    else
      touched[name] = true
    end
  elseif kind == '@' then
    instances[name] = tonumber(value) or 0
  elseif kind == '!' then
    local at, note = value:match('^(%d+) (.*)$')
    ends[name] = { ['until'] = tonumber(at) or 0, note = note or '' }
  elseif kind == '#' and state[name] then
    state[name] = tonumber(value) or state[name]
  end
end

-- Redis needs a sign that an entry has changed.
local function put(id, entry)
  entries[id] = entry
  touched[id] = true
end

local function drop(id)
  entries[id] = nil
  touched[id] = true
end

local function setEnd(name, found)
  ends[name] = found
  if found then
    redis.call('HSET', key, '!' .. name, string.format('%.0f %s', found['until'], found.note))
  else
    redis.call('HDEL', key, '!' .. name)
  end
end

-- 1. The state was lost or out of reach, or its clock stepped back.
local isNew = state.born == 0
if isNew or now < state.at then
  state = newNumbers()
  for id in pairs(entries) do
    drop(id)
  end
  for name in pairs(ends) do
    setEnd(name, nil)
  end
  state.born = now
  state.settledAt = isNew and now or now + RETURN_MS
end
if call.born > 0 and call.born ~= state.born then
  state.settledAt = math.max(state.settledAt, state.born + RETURN_MS)
end
if call.returns then
  state.settledAt = now + RETURN_MS
end
state.at = now

-- 2. What has run out.
for id, entry in pairs(entries) do
  if entry['until'] <= now then
    drop(id)
  end
end
for name, found in pairs(ends) do
  if found['until'] <= now then
    setEnd(name, nil)
  end
end
instances[call.instance] = now
redis.call('HSET', key, '@' .. call.instance, string.format('%.0f', now))
for name, at in pairs(instances) do
  if now - at > GONE_MS or (call.leaves and name == call.instance) then
    instances[name] = nil
    redis.call('HDEL', key, '@' .. name)
  end
end
if now - state.checkedAt >= CHECK_MS then
  state.checkedAt = now
  state.checked = 0
end

-- 3. The numbers.
local LEASES = { opening = true, open = true, parked = true, closing = true }
local ceiling = call.max > 0 and math.max(1, call.max - call.reserve) or math.huge
local surely = call.max > 0 and ceiling or math.max(1, state.proven)

local function numberNow()
  return math.min(ceiling, state.number >= 0 and state.number or math.huge)
end

local function count(isCounted)
  local sum = 0
  for _, entry in pairs(entries) do
    if isCounted(entry) then
      sum = sum + 1
    end
  end
  return sum
end

local function isLease(entry)
  return LEASES[entry.status] == true
end

local function used()
  return count(function(entry)
    return (entry.status == 'opening' or entry.status == 'open') and not entry.isTrial
  end)
end

local NO_END = { ['until'] = 0, note = '' }

local function endOf(user, id)
  local longest = NO_END
  for _, name in ipairs({ 'all', 'user ' .. user, 'id ' .. id }) do
    local found = ends[name] or NO_END
    if found['until'] > longest['until'] then
      longest = found
    end
  end
  return longest
end

local function answer(status, waitMs)
  return { status = status, place = 0, of = 0, waitMs = waitMs or 0, forMs = 0, note = '' }
end

local function ended(entry)
  local found = endOf(call.user, call.id)
  local isNow = found['until'] > now
  local result = answer('ended', isNow and found['until'] - now or 0)
  if isNow then
    result.note = found.note
  elseif entry then
    result.note = entry.endNote
  end
  return result
end

local function check(entry)
  if entry.status ~= 'open' or entry.statusAt > state.checkedAt then
    return
  end
  if entry.checkedAt == state.checkedAt then
    return
  end
  entry.checkedAt = state.checkedAt
  state.checked = state.checked + 1
  local open = math.min(state.checked, ceiling)
  state.proven = math.max(state.proven, open)
  if state.number < 0 or state.number >= open or state.refusedAt >= state.checkedAt then
    return
  end
  state.number = open
  for id, one in pairs(entries) do
    if one.isTrial then
      one.isTrial = false
      put(id, one)
    end
  end
end

local function setStatus(entry, status)
  if entry.status == status then
    return
  end
  if status == 'open' and entry.isTrial then
    state.gapMs = ABOVE_GAP_MS
    if state.number < surely then
      state.number = state.number + 1
      entry.isTrial = false
      state.gapMs = FIRST_GAP_MS
      state.trials = math.min(state.trials * 2, MOST_TRIALS)
    end
  end
  entry.status = status
  entry.statusAt = now
end

local function newEntry()
  state.askedAt = math.max(now, state.askedAt + 1)
  local entry = {
    user = call.user,
    weight = call.weight,
    status = 'asking',
    askedAt = state.askedAt,
    turnAt = state.askedAt,
    seenAt = now,
    ['until'] = now + TICKET_MS,
    retryMs = 0,
    since = now,
    statusAt = now,
    isTrial = false,
    isEnded = false,
    endNote = '',
    checkedAt = 0,
    note = call.note,
  }
  put(call.id, entry)
  return entry
end

local function keep(entry)
  entry.seenAt = now
  local keepMs = TICKET_MS
  if isLease(entry) then
    keepMs = call.isHidden and HIDDEN_LEASE_MS or LEASE_MS
  end
  entry['until'] = now + keepMs
  put(call.id, entry)
end

local function lineNow()
  local counts = {}
  local asking = {}
  for id, entry in pairs(entries) do
    if isLease(entry) then
      counts[entry.user] = (counts[entry.user] or 0) + 1
    elseif entry.status == 'asking' then
      asking[#asking + 1] = { id = id, entry = entry }
    end
  end
  table.sort(asking, function(one, other)
    if one.entry.askedAt ~= other.entry.askedAt then
      return one.entry.askedAt < other.entry.askedAt
    end
    return one.id < other.id
  end)
  local places = {}
  for _, place in ipairs(asking) do
    local user = place.entry.user
    local before = counts[user] or 0
    counts[user] = before + 1
    if before < call.perUser then
      place.share = before / place.entry.weight
      places[#places + 1] = place
    end
  end
  table.sort(places, function(one, other)
    if one.share ~= other.share then
      return one.share < other.share
    end
    if one.entry.turnAt ~= other.entry.turnAt then
      return one.entry.turnAt < other.entry.turnAt
    end
    return one.id < other.id
  end)
  return places
end

local function takeBack()
  local foundId
  for id, entry in pairs(entries) do
    if entry.status == 'parked' and now - entry.statusAt > PARKED_MS then
      local found = entries[foundId]
      if not found or entry.statusAt < found.statusAt or (entry.statusAt == found.statusAt and id < foundId) then
        foundId = id
      end
    end
  end
  if not foundId then
    return false
  end
  setStatus(entries[foundId], 'asleep')
  put(foundId, entries[foundId])
  return true
end

local function roomNow()
  local limit = numberNow()
  local isUnsettled = now < state.settledAt
    or count(function(entry)
        return entry.status == 'opening' and entry.statusAt <= state.refusedAt and now - entry.statusAt < OPENING_MS
      end) > 0
  if isUnsettled then
    return -1, 0
  end
  local leases = count(isLease)
  local onTrial = count(function(entry)
    return isLease(entry) and entry.isTrial
  end)
  local left = ceiling - leases
  local room = math.min(limit - leases + onTrial, left)
  local mayTry = room <= 0
    and limit < ceiling
    and now - state.triedAt > state.gapMs
    and count(function(entry)
        return entry.status == 'parked'
      end) == 0
  if not mayTry then
    return room, 0
  end
  return room, math.min(state.trials - onTrial, left)
end

local function isAsking(entry)
  return entry.status == 'asking'
end

local function queue(entry, mayLease)
  keep(entry)
  local line = lineNow()
  local of = count(isAsking)
  local index
  local rank = 0
  for at, place in ipairs(line) do
    if place.id == call.id then
      index = at
      break
    end
    local before = place.entry
    if now <= before.seenAt + before.retryMs + OVERDUE_MS then
      rank = rank + 1
    end
  end
  local function wait(waitMs, place)
    entry.retryMs = waitMs
    local result = answer('queued', waitMs)
    result.place = place
    result.of = of
    return result
  end
  if not index then
    return wait(LONGEST_WAIT_MS, of)
  end
  local room, trials = roomNow()
  local isGiven = mayLease and (rank < room or (rank == room and takeBack()))
  if isGiven or (mayLease and rank < trials) then
    setStatus(entry, 'opening')
    entry.since = now
    entry.isTrial = not isGiven
    if entry.isTrial then
      state.triedAt = now
    end
    keep(entry)
    for id, one in pairs(entries) do
      if one.status == 'asking' and one.user == entry.user then
        one.turnAt = now
        put(id, one)
      end
    end
    local result = answer('leased', RENEW_MS)
    result.forMs = now - math.min(now, entry.askedAt)
    return result
  end
  local soon = math.max(1, math.min(numberNow(), MOST_WAITING))
  local expectedMs = state.paceMs > 0 and (rank * state.paceMs) / 2 or SHORTEST_WAIT_MS * (1 + rank - soon)
  local laterMs = math.floor(math.min(LONGEST_WAIT_MS, math.max(SHORTEST_WAIT_MS, expectedMs)))
  return wait(rank < soon and SHORTEST_WAIT_MS or laterMs, index)
end

local actions = {}

function actions.look()
  if call.user ~= '' and endOf(call.user, '')['until'] > now then
    return ended()
  end
  return answer('done')
end

function actions.ask()
  if endOf(call.user, call.id)['until'] > now then
    return ended()
  end
  local entry = entries[call.id]
  if entry and entry.user ~= call.user then
    return answer('foreign')
  end
  if entry and (entry.isEnded or entry.status == 'closing') then
    drop(call.id)
    entry = nil
  end
  if entry and isLease(entry) then
    setStatus(entry, 'opening')
    keep(entry)
    return answer('leased', RENEW_MS)
  end
  if not entry then
    local ofUser = count(function(one)
      return one.status == 'asking' and one.user == call.user
    end)
    if ofUser >= MOST_TICKETS then
      return answer('user-full', LONGEST_WAIT_MS)
    end
    if count(isAsking) >= MOST_WAITING then
      return answer('full', LONGEST_WAIT_MS)
    end
    entry = newEntry()
  end
  setStatus(entry, 'asking')
  return queue(entry, true)
end

function actions.renew()
  local entry = entries[call.id]
  if entry and entry.user ~= call.user then
    return answer('foreign')
  end
  if (entry and entry.isEnded) or endOf(call.user, call.id)['until'] > now then
    return ended(entry)
  end
  if not entry or not isLease(entry) then
    if call.holds == 'opening' then
      return answer('unknown')
    end
    entry = entry or newEntry()
    entry.since = now
    setStatus(entry, call.holds == 'parked' and 'asleep' or 'open')
  else
    setStatus(entry, call.holds)
  end
  check(entry)
  keep(entry)
  local result = answer(entry.status == 'asleep' and 'asleep' or 'leased', RENEW_MS)
  result.forMs = now - entry.since
  return result
end

function actions.release()
  local entry = entries[call.id]
  if not entry then
    return answer('unknown')
  end
  if entry.user ~= call.user then
    return answer('foreign')
  end
  if not isLease(entry) or entry.status == 'closing' then
    if entry.status ~= 'closing' then
      drop(call.id)
    end
    return answer('unknown')
  end
  check(entry)
  if state.releasedAt > 0 then
    local gapMs = math.min(now - state.releasedAt, LONGEST_ABOVE_GAP_MS)
    state.paceMs = state.paceMs > 0 and math.floor((state.paceMs * 9 + gapMs) / 10) or gapMs
  end
  state.releasedAt = now
  local result = answer('done')
  result.forMs = now - entry.since
  if state.lingerMs == 0 then
    drop(call.id)
    return result
  end
  setStatus(entry, 'closing')
  entry['until'] = now + state.lingerMs
  put(call.id, entry)
  return result
end

local function learn(isTrial)
  local isBelow = state.number < surely
  if isTrial then
    state.trials = 1
    if isBelow then
      state.gapMs = math.min(math.max(state.gapMs, FIRST_GAP_MS) * 2, LONGEST_GAP_MS)
    else
      state.gapMs = math.min(math.max(state.gapMs, ABOVE_GAP_MS) * 2, LONGEST_ABOVE_GAP_MS)
    end
    if isBelow and state.lowerSince > 0 and now - state.lowerSince > LONGEST_ABOVE_GAP_MS then
      state.proven = state.number
    end
  elseif state.number >= 0 and now - state.releasedAt < LONGEST_LINGER_MS and state.lingerMs < LONGEST_LINGER_MS then
    state.lingerMs = math.min(LONGEST_LINGER_MS, math.max(FIRST_LINGER_MS, state.lingerMs * 2))
  else
    state.number = math.min(numberNow(), used())
    state.trials = 1
    state.gapMs = state.number < surely and FIRST_GAP_MS or ABOVE_GAP_MS
    state.refusedAt = now
  end
  state.triedAt = now
end

function actions.refused()
  local entry = entries[call.id]
  if entry and entry.user ~= call.user then
    return answer('foreign')
  end
  entry = entry or newEntry()
  local isTrial = entry.isTrial
  entry.isTrial = false
  setStatus(entry, 'asking')
  learn(isTrial)
  if entry.isEnded or endOf(call.user, call.id)['until'] > now then
    drop(call.id)
    return ended(entry)
  end
  return queue(entry, false)
end

actions['end'] = function()
  local name = 'all'
  if call.id ~= '' then
    name = 'id ' .. call.id
  elseif call.user ~= '' then
    name = 'user ' .. call.user
  end
  local untilMs = now + call.forMs
  if untilMs > (ends[name] or NO_END)['until'] then
    setEnd(name, { ['until'] = untilMs, note = call.note })
  end
  for id, entry in pairs(entries) do
    if name == 'all' or name == 'id ' .. id or name == 'user ' .. entry.user then
      if isLease(entry) then
        entry.isEnded = true
        entry.endNote = call.note
        put(id, entry)
      else
        drop(id)
      end
    end
  end
  return answer('done')
end

-- 4. The action.
local result = actions[call.action]()

-- 5. The reply.
local number = numberNow()
local isLower = number < surely
if not isLower then
  state.lowerSince = 0
elseif state.lowerSince == 0 then
  state.lowerSince = now
end
local list = {}
if call.lists then
  for id, entry in pairs(entries) do
    if isLease(entry) then
      list[#list + 1] = { id = id, user = entry.user, forMs = now - entry.since, note = entry.note }
    end
  end
end

-- 6. Write what has changed.
for id in pairs(touched) do
  local entry = entries[id]
  if entry then
    local values = {}
    for at, part in ipairs(NAMES) do
      values[at] = entry[part]
    end
    redis.call('HSET', key, ':' .. id, cjson.encode(values))
  else
    redis.call('HDEL', key, ':' .. id)
  end
end
for name, value in pairs(state) do
  redis.call('HSET', key, '#' .. name, string.format('%.0f', value))
end
local keepMs = 2 * LONGEST_ABOVE_GAP_MS
for _, found in pairs(ends) do
  keepMs = math.max(keepMs, found['until'] - now)
end
redis.call('PEXPIRE', key, string.format('%.0f', keepMs))

local instanceCount = 0
for _ in pairs(instances) do
  instanceCount = instanceCount + 1
end
result.born = state.born
result.instances = instanceCount
result.leased = count(isLease)
result.waiting = count(isAsking)
result.number = number == math.huge and -1 or number
result.lowerMs = isLower and now - state.lowerSince or 0
result.list = list
return cjson.encode(result)
`

/** Reads the reply of the script. Throws if it is another one. */
function readReply(reply: unknown): Reply {
  const parsed = parse(String(reply))
  // Lua has no empty lists.
  return Array.isArray(parsed.list) ? parsed : { ...parsed, list: [] }
}

function parse(text: string): Reply {
  try {
    const parsed = JSON.parse(text) as Partial<Reply> | null
    if (typeof parsed?.born === 'number') return parsed as Reply
  } catch {
    // Then it is no JSON.
  }
  throw wrongReply()
}

export const SESSIONS: StateRules<State, Call, Reply> = {
  newState,
  apply: (state, call, now) => applySessionsCall(state, call, Math.floor(now)),
  script: STORE_CLOCK + luaNumbers(rules) + RULES,
  keys: ['sessions'],
  readReply,
}

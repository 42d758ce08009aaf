/*
 * The rules of `core/`, once more, where all instances can share them: Lua runs in Redis and Valkey as one step. The functions have the
 * names and the order of `core/`; `scriptAndCore.test.ts` holds the two together on random calls, so a change belongs into both.
 *
 * KEYS[1] is the account's state, one JSON value. ARGV[1] holds the rules, ARGV[2] the call, ARGV[3] how long the state is kept.
 */

/** Redis 7 freezes its clock for the run of a script, and every instance is judged by this one. */
export const STORE_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

const RULES = `
local rules = cjson.decode(ARGV[1])
local op = cjson.decode(ARGV[2])
local SECOND_MS = 1000

local function keep(list, wanted)
  local kept = {}
  for _, item in ipairs(list) do
    if wanted(item) then kept[#kept + 1] = item end
  end
  return kept
end

local function find(list, id)
  for index, item in ipairs(list) do
    if item.id == id then return item, index end
  end
end

-- BudgetState

local function createBudgetState()
  return {
    epoch = op.newEpoch, cold = true, calls = 0, slots = {}, waiters = {}, virtual = 0, tags = {}, dueAt = {},
    lowered = 0, loweredAt = 0, frozenUntil = 0, limitedAt = -1, limitedInRow = 0, secondsSuspected = 0,
    strict = rules.strict, foreignUse = 0,
  }
end

local saved = redis.call('GET', KEYS[1])
local state = saved and cjson.decode(saved) or createBudgetState()
local notices = {}

-- fairOrder

local function startOf(user)
  return state.tags[user] or state.virtual
end

local function fairOrder()
  local present = keep(state.waiters, function(waiter)
    return now <= (state.dueAt[waiter.instance] or 0) + rules.lateMs
  end)
  local ranked, starts = {}, {}
  for _, background in ipairs({ false, true }) do
    for arrival, waiter in ipairs(present) do
      if waiter.background == background then
        local start = starts[waiter.user] or startOf(waiter.user)
        starts[waiter.user] = start + waiter.cost
        ranked[#ranked + 1] = { waiter = waiter, start = start, arrival = arrival }
      end
    end
  end
  table.sort(ranked, function(a, b)
    if a.waiter.background ~= b.waiter.background then return b.waiter.background end
    if a.start ~= b.start then return a.start < b.start end
    return a.arrival < b.arrival
  end)
  local line = {}
  for index, entry in ipairs(ranked) do line[index] = entry.waiter end
  return line
end

local function countGrant(granted, line)
  local start = startOf(granted.user)
  local seen, users = {}, 0
  for _, waiter in ipairs(line) do
    if not seen[waiter.user] then
      seen[waiter.user] = true
      users = users + 1
    end
  end
  state.virtual = math.max(start, state.virtual + math.max(1, math.floor(granted.cost / users)))
  state.tags[granted.user] = start + granted.cost
end

local function joinLine(user)
  state.tags[user] = state.tags[user] or state.virtual
end

local function forgetUsers()
  local waiting = {}
  for _, waiter in ipairs(state.waiters) do waiting[waiter.user] = true end
  if next(waiting) == nil then
    for _, tag in pairs(state.tags) do state.virtual = math.max(state.virtual, tag) end
  end
  for user, tag in pairs(state.tags) do
    if tag <= state.virtual and not waiting[user] then state.tags[user] = nil end
  end
end

-- opening

local function currentLimit()
  return rules.limit - state.lowered
end

local function roomAt(frees, limit)
  if #frees < limit then return 0 end
  table.sort(frees)
  return frees[#frees - limit + 1]
end

local function expectedFrees(windowMs)
  local frees = {}
  for index, slot in ipairs(state.slots) do
    if slot.doneAt < 0 then
      frees[index] = math.min(slot.freeAt, now + windowMs + rules.marginMs)
    else
      frees[index] = slot.freeAt - rules.windowMs + windowMs
    end
  end
  return frees
end

local function pacedAt(limit, waiting)
  local grants = {}
  for index, slot in ipairs(state.slots) do grants[index] = slot.grantedAt end
  table.sort(grants, function(a, b) return a > b end)
  if grants[1] == nil then return 0 end
  local apartMs = math.floor((0.75 * rules.windowMs) / limit)
  local left = limit - #grants
  if left > 0 and waiting > left then
    local soonestFree = math.huge
    for _, slot in ipairs(state.slots) do
      soonestFree = math.min(soonestFree, slot.doneAt < 0 and slot.grantedAt + rules.windowMs or slot.freeAt)
    end
    apartMs = math.max(apartMs, math.floor((soonestFree - grants[1]) / (left + 1)))
  end
  local nth = grants[rules.perSecond]
  return math.max(grants[1] + apartMs, nth and nth + SECOND_MS or 0)
end

local function openAt(line, bursting)
  local limit = currentLimit()
  local at = math.max(state.frozenUntil, roomAt(expectedFrees(rules.windowMs), limit))
  if state.strict then at = math.max(at, roomAt(expectedFrees(SECOND_MS), rules.strictPerSecond)) end
  if bursting and state.lowered == 0 and not line[1].background then
    local held = keep(state.slots, function(slot) return slot.user == line[1].user end)
    if #held < rules.burst then return at end
  end
  return math.max(at, pacedAt(limit, #line))
end

local function createEstimate(line)
  local limit = currentLimit()
  local first = math.max(now, openAt(line, false))
  local frees = expectedFrees(rules.windowMs)
  table.sort(frees)
  return function(position)
    local turn = position % limit
    local rounds = math.floor(position / limit)
    local freeAt = frees[turn - (limit - #frees) + 1] or now
    local at = math.max(first + (turn * rules.windowMs) / limit, freeAt) + rounds * rules.windowMs
    return math.ceil(at - now)
  end
end

-- countLimited

local function countLimited()
  local retryAfterMs = math.min(op.retryAfterMs or -1, 60000)
  local slot = find(state.slots, op.id)
  if now < state.frozenUntil or (slot and slot.grantedAt <= state.limitedAt) then
    state.frozenUntil = math.max(state.frozenUntil, now + retryAfterMs)
    return
  end

  local inRow = state.limitedAt >= 0 and now - state.limitedAt < 30000
  state.limitedInRow = inRow and state.limitedInRow + 1 or 1
  state.limitedAt = now
  local backoffMs = math.min(1000 * 2 ^ (state.limitedInRow - 1), 5000)
  local frozenMs = retryAfterMs >= 0 and retryAfterMs or math.floor(backoffMs * (1 + 0.25 * op.jitter))
  state.frozenUntil = now + frozenMs

  local used = #state.slots
  local lately = keep(state.slots, function(held) return held.doneAt < 0 or held.doneAt > now - SECOND_MS end)
  local suspected = not state.strict and #lately > rules.perSecond
  if suspected then state.secondsSuspected = state.secondsSuspected + 1 end
  if suspected and state.secondsSuspected >= 2 then
    state.strict = true
    state.lowered = 0
    notices[#notices + 1] = { type = 'strict' }
  else
    state.lowered = math.max(state.lowered, math.min(state.lowered + 2, rules.limit - 5))
    state.loweredAt = now
    if not suspected then
      state.foreignUse = state.foreignUse + 1
      notices[#notices + 1] = { type = 'foreign-use', used = used }
    end
  end
  notices[#notices + 1] = { type = 'frozen', frozenMs = frozenMs, limit = rules.limit - state.lowered, used = used }
end

local function recover()
  if state.lowered == 0 then return end
  while state.lowered > 0 and now - state.loweredAt >= 30000 do
    state.lowered = state.lowered - 1
    state.loweredAt = state.loweredAt + 30000
  end
  if state.lowered == 0 then notices[#notices + 1] = { type = 'recovered', limit = rules.limit } end
end

-- applyOp

local elsewhere = op.epoch ~= '' and op.epoch ~= state.epoch
local restored = op.epoch == state.epoch and op.seen > state.calls
local lost = (elsewhere and state.cold) or restored
if restored then state.epoch = op.newEpoch end
if elsewhere or restored then state.cold = false end
if lost then notices[#notices + 1] = { type = 'state-lost' } end
local quarantineMs = rules.windowMs + rules.graceMs
local apart = op.after == 'silence' and op.silentMs >= quarantineMs
if lost or apart or op.after == 'own-share' then
  state.frozenUntil = math.max(state.frozenUntil, now + quarantineMs)
end
state.calls = state.calls + 1

state.slots = keep(state.slots, function(slot) return slot.freeAt > now end)
state.waiters = keep(state.waiters, function(waiter) return waiter['until'] > now end)
for instance, dueAt in pairs(state.dueAt) do
  if dueAt + 60000 < now then state.dueAt[instance] = nil end
end
state.strict = state.strict or rules.strict
recover()
state.dueAt[op.instance] = now

local granted = {}
local fresh = ''
if op.type == 'ask' then
  local held, index = find(state.slots, op.id)
  if held and held.doneAt < 0 and now < state.frozenUntil then
    table.remove(state.slots, index)
    held = nil
  end
  if held and held.doneAt < 0 then
    held.grantedAt = now
    held.freeAt = now + rules.timeoutMs + rules.windowMs
    granted[1] = op.id
  elseif not held and not find(state.waiters, op.id) then
    state.waiters[#state.waiters + 1] = {
      id = op.id, instance = op.instance, user = op.user, cost = op.cost, background = op.background,
      ['until'] = now + op.withinMs,
    }
    joinLine(op.user)
    fresh = op.id
  end
elseif op.type == 'leave' then
  state.waiters = keep(state.waiters, function(waiter) return waiter.id ~= op.id end)
  state.slots = keep(state.slots, function(slot) return slot.id ~= op.id or slot.doneAt >= 0 end)
elseif op.type == 'release' then
  local held, index = find(state.slots, op.id)
  if held and held.doneAt < 0 then
    if op.outcome == 'unsent' then
      table.remove(state.slots, index)
    else
      held.doneAt = now
      held.freeAt = now + rules.windowMs + rules.marginMs
      if op.outcome == 'aborted' then held.freeAt = held.freeAt + rules.graceMs end
    end
  end
elseif op.type == 'limited' then
  countLimited()
elseif op.type == 'bye' then
  state.waiters = keep(state.waiters, function(waiter) return waiter.instance ~= op.instance end)
  state.dueAt[op.instance] = nil
end

local line = fairOrder()
while line[1] and line[1].instance == op.instance and op.after ~= 'silence' do
  local head = line[1]
  if openAt(line, #line == 1 and head.id == fresh) > now then break end
  countGrant(head, line)
  state.waiters = keep(state.waiters, function(waiter) return waiter.id ~= head.id end)
  state.slots[#state.slots + 1] = {
    id = head.id, user = head.user, grantedAt = now, doneAt = -1,
    freeAt = now + rules.timeoutMs + rules.windowMs,
  }
  granted[#granted + 1] = head.id
  line = fairOrder()
end

local _, place = find(line, fresh)
local refused
if place then
  local waitMs = createEstimate(line)(place - 1)
  local own = keep(line, function(waiter) return waiter.user == op.user end)
  local reason
  if #own > rules.maxWaitingPerUser then
    reason = 'user-queue-full'
  elseif #line > rules.maxWaiting and place == #line then
    reason = 'queue-full'
  elseif waitMs > op.withinMs then
    reason = 'too-late'
  end
  local leaver
  if reason then
    refused = { reason = reason, retryAfterMs = waitMs }
    leaver = fresh
  elseif #line > rules.maxWaiting then
    leaver = line[#line].id
  end
  if leaver then
    state.waiters = keep(state.waiters, function(waiter) return waiter.id ~= leaver end)
    line = fairOrder()
  end
end
forgetUsers()

local opensAt = math.max(now, openAt(line, false))
local estimateMs = createEstimate(line)
local waiting = {}
local ahead
for position, waiter in ipairs(line) do
  if waiter.instance == op.instance then
    ahead = ahead or position - 1
    waiting[#waiting + 1] = { waiter.id, estimateMs(position - 1) }
  end
end
local nextMs = rules.heartbeatMs
if ahead then
  local turnAt = opensAt + math.floor((ahead * rules.windowMs) / rules.limit)
  nextMs = math.min(math.max(1, math.ceil(turnAt - now)), rules.pollMs)
end
if op.type ~= 'bye' then state.dueAt[op.instance] = now + nextMs end

local frees = {}
for index, slot in ipairs(state.slots) do frees[index] = slot.freeAt - now end
table.sort(frees)
local instances = 0
for _ in pairs(state.dueAt) do instances = instances + 1 end

redis.call('SET', KEYS[1], cjson.encode(state), 'PX', ARGV[3])
return cjson.encode({
  epoch = state.epoch, calls = state.calls, granted = granted, waiting = waiting, refused = refused, nextMs = nextMs,
  openMs = math.ceil(opensAt - now), limit = currentLimit(), frees = frees, waitingTotal = #line,
  frozenMs = math.max(0, math.ceil(state.frozenUntil - now)), strict = state.strict,
  foreignUse = state.foreignUse, instances = instances, notices = notices,
})
`

export const BUDGET_SCRIPT: string = STORE_CLOCK + RULES
